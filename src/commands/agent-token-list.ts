import type { AgentToken } from '../contract/agent-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { agoText } from '../terminal/ago.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

function columnsOf(nowMs: number): Column<AgentToken>[] {
  const usedText = ({ last_used_at: used }: AgentToken): string => (used === null ? 'never' : agoText(used, nowMs));
  return [
    { title: 'ID', of: ({ agent_token_id }) => agent_token_id },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'NAME', of: ({ name }) => name ?? '', least: 6, spare: true },
    { title: 'MADE BY', of: ({ made_by }) => made_by, least: 6, spare: true },
    { title: 'MADE', of: ({ created_at }) => agoText(created_at, nowMs), spare: true },
    { title: 'LAST USED', of: usedText, spare: true },
  ];
}

/** `vp agent-token list`. */
export const agentTokenListCommand = command({
  name: 'agent-token list',
  summary: 'list the tokens of an instance’s agents, without their secrets',
  positionals: [{ name: 'instance', describe: 'instance id', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp agent-token list shop', 'who has one, and when it was last used']],
  notes: 'With --json: {"agent_tokens": […]}.',
  async run({ flags, words: [instance = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const { agentTokens } = await connect(flags, environment);
    const all = await agentTokens.list(instance);
    const paint = paintFor(streams.stdout, variables);
    const text = table(all, columnsOf(clock.nowMs()), streams.stdout, paint);
    const none = `no agent has a token for ${instance}; \`vp agent-token make ${instance} --role test\` makes one\n`;
    streams.stdout.write(json ? `${JSON.stringify({ agent_tokens: all }, null, 2)}\n` : text || none);
    return exitCode.done;
  },
});
