import type { HubMember } from '../contract/hub-api.ts';
import { exitCode } from '../errors/exit-code.ts';
import { agoText } from '../terminal/ago.ts';
import { paintFor } from '../terminal/paint.ts';
import { type Column, table } from '../terminal/table.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

function columnsOf(nowMs: number): Column<HubMember>[] {
  return [
    { title: 'NAME', of: ({ name }) => name, least: 6 },
    { title: 'EMAIL', of: ({ email }) => email, least: 6, spare: true },
    { title: 'ROLE', of: ({ role }) => role },
    { title: 'ADDED', of: ({ added_at: added }) => agoText(added, nowMs), spare: true },
  ];
}

/** `vp hubs members`. */
export const hubsMembersCommand = command({
  name: 'hubs members',
  summary: 'list who belongs to a hub',
  positionals: [{ name: 'hub', describe: 'slug of the hub', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp hubs members acme', 'with their roles']],
  notes: 'owner: everything; member: calls tools; viewer: calls tools that only read. With --json: {"members": […]}.',
  async run({ flags, words: [hub = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const { hubs } = await connect(flags, environment);
    const members = await hubs.members(hub);
    const text = table(members, columnsOf(clock.nowMs()), streams.stdout, paintFor(streams.stdout, variables));
    streams.stdout.write(json ? `${JSON.stringify({ members }, null, 2)}\n` : text);
    return exitCode.done;
  },
});
