import { command } from '../../command-line/command.ts';
import type { HubToken } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

function formatLastUse({ last_used_at: used, last_address: address }: HubToken, nowMs: number): string {
  if (used === null) return 'never';
  return address === null ? formatRelativeTime(used, nowMs) : `${formatRelativeTime(used, nowMs)}, ${address}`;
}

function buildColumns(nowMs: number): TableColumn<HubToken>[] {
  return [
    { title: 'ID', text: ({ token_id }) => token_id },
    { title: 'NAME', text: ({ name }) => name, minWidth: 6 },
    { title: 'HUB', text: ({ hub }) => hub },
    { title: 'STATE', text: ({ state }) => state },
    { title: 'PERSON', text: ({ person }) => person, minWidth: 6, optional: true },
    { title: 'EXPIRES', text: ({ expires_at }) => expires_at?.slice(0, 10) ?? 'never', optional: true },
    { title: 'LAST USED', text: (row) => formatLastUse(row, nowMs), optional: true },
  ];
}

/** `vp tokens list`. */
export const tokensListCommand = command({
  name: 'tokens list',
  summary: 'list your personal access tokens, without their secrets',
  positionals: [],
  flags: {
    hub: {
      type: 'string',
      placeholder: '<slug>',
      describe: 'only tokens for this hub; its owners see everyone’s',
      kind: 'hub',
    },
    ...controlPlaneFlags,
  },
  examples: [['vp tokens list', 'with the time and address of the last use']],
  notes:
    'STATE left: you are no longer a member of the hub, so the token does not work. With --json: {"hub_tokens": […]}.',
  async run({ flags, json, environment, catalogue }) {
    const { streams, variables, clock } = environment;
    const { hubs } = await openClient(flags, environment);
    const all = await (flags.hub === undefined ? hubs.listOwnTokens() : hubs.listTokens(flags.hub));
    const text = formatTable(all, buildColumns(clock.nowMs()), streams.stdout, paintFor(streams.stdout, variables));
    const emptyText = 'there are no tokens; create one with `vp tokens create <name> --hub <slug>`\n';
    streams.stdout.write(
      json
        ? `${JSON.stringify({ hub_tokens: all }, null, 2)}\n`
        : text || (await completeCommands(emptyText, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
