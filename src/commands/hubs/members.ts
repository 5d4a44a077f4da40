import { command } from '../../command-line/command.ts';
import type { HubMember } from '../../contract/hubs/hubs-api.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

function buildColumns(nowMs: number): TableColumn<HubMember>[] {
  return [
    { title: 'NAME', text: ({ name }) => name, minWidth: 6 },
    { title: 'EMAIL', text: ({ email }) => email, minWidth: 6, optional: true },
    { title: 'ROLE', text: ({ role }) => role },
    { title: 'ADDED', text: ({ added_at: added }) => formatRelativeTime(added, nowMs), optional: true },
  ];
}

/** `vp hubs members`. */
export const hubsMembersCommand = command({
  name: 'hubs members',
  summary: 'list the members of a hub',
  positionals: [hubArgument],
  flags: controlPlaneFlags,
  examples: [['vp hubs members acme', 'with their roles']],
  notes: 'owner: all rights; member: calls tools; viewer: calls read-only tools. With --json: {"members": […]}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const { streams, variables, clock } = environment;
    const { hubs } = await openClient(flags, environment);
    const members = await hubs.listMembers(hub);
    const text = formatTable(members, buildColumns(clock.nowMs()), streams.stdout, paintFor(streams.stdout, variables));
    streams.stdout.write(json ? `${JSON.stringify({ members }, null, 2)}\n` : text);
    return exitCode.done;
  },
});
