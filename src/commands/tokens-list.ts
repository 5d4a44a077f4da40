import type { HubToken } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { agoText } from '../terminal/ago.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

function usedText({ last_used_at: used, last_address: address }: HubToken, nowMs: number): string {
  if (used === null) return 'never';
  return address === null ? agoText(used, nowMs) : `${agoText(used, nowMs)}, ${address}`;
}

function columnsOf(nowMs: number): Column<HubToken>[] {
  return [
    { title: 'ID', of: ({ token_id }) => token_id },
    { title: 'NAME', of: ({ name }) => name, least: 6 },
    { title: 'HUB', of: ({ hub }) => hub },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'PERSON', of: ({ person }) => person, least: 6, spare: true },
    { title: 'EXPIRES', of: ({ expires_at }) => expires_at?.slice(0, 10) ?? 'never', spare: true },
    { title: 'LAST USED', of: (row) => usedText(row, nowMs), spare: true },
  ];
}

/** `vp tokens list`. */
export const tokensListCommand = command({
  name: 'tokens list',
  summary: 'list your personal access tokens, without their secrets',
  positionals: [],
  flags: {
    hub: { type: 'string', placeholder: '<slug>', describe: 'of this hub; its owners see everybody’s' },
    ...controlPlaneFlags,
  },
  examples: [['vp tokens list', 'when each was last used, and from where']],
  notes: 'STATE left: you no longer belong to the hub, so the token opens nothing. With --json: {"hub_tokens": […]}.',
  async run({ flags, json, environment }) {
    const { streams, variables, clock } = environment;
    const { hubs } = await connect(flags, environment);
    const all = await (flags.hub === undefined ? hubs.ownTokens() : hubs.tokens(flags.hub));
    const text = table(all, columnsOf(clock.nowMs()), streams.stdout, paintFor(streams.stdout, variables));
    const none = 'there are no tokens; `vp tokens create <name> --hub <slug>` makes one\n';
    streams.stdout.write(json ? `${JSON.stringify({ hub_tokens: all }, null, 2)}\n` : text || none);
    return exitCode.done;
  },
});
