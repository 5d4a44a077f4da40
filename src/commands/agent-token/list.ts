import { command } from '../../command-line/command.ts';
import type { AgentToken } from '../../contract/agents/agent-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, instanceArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

function buildColumns(nowMs: number): TableColumn<AgentToken>[] {
  const formatLastUse = ({ last_used_at: used }: AgentToken): string =>
    used === null ? 'never' : formatRelativeTime(used, nowMs);
  return [
    { title: 'ID', text: ({ agent_token_id }) => agent_token_id },
    { title: 'ROLE', text: ({ role }) => role },
    { title: 'NAME', text: ({ name }) => name ?? '', minWidth: 6, optional: true },
    { title: 'MADE BY', text: ({ made_by }) => made_by, minWidth: 6, optional: true },
    { title: 'MADE', text: ({ created_at }) => formatRelativeTime(created_at, nowMs), optional: true },
    { title: 'LAST USED', text: formatLastUse, optional: true },
  ];
}

/** `vp agent-token list`. */
export const agentTokenListCommand = command({
  name: 'agent-token list',
  summary: 'list the agent tokens of an instance, without their secrets',
  positionals: [instanceArgument],
  flags: controlPlaneFlags,
  examples: [['vp agent-token list shop', 'who has a token, and when it was last used']],
  notes: 'With --json: {"agent_tokens": […]}.',
  async run({ flags, args: [instance = ''], json, environment, catalogue }) {
    const { streams, variables, clock } = environment;
    const { agentTokens } = await openClient(flags, environment);
    const all = await agentTokens.list(instance);
    const paint = paintFor(streams.stdout, variables);
    const text = formatTable(all, buildColumns(clock.nowMs()), streams.stdout, paint);
    const emptyText = `no agent has a token for ${instance}; create one with \`vp agent-token create ${instance} --role test\`\n`;
    streams.stdout.write(
      json
        ? `${JSON.stringify({ agent_tokens: all }, null, 2)}\n`
        : text || (await completeCommands(emptyText, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
