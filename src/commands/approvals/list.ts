import { command } from '../../command-line/command.ts';
import type { HubApproval } from '../../contract/hubs/approvals-api.ts';
import { formatCallOrigin } from '../../contract/hubs/call-origin.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable, type TableColumn } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';

const columns: TableColumn<HubApproval>[] = [
  { title: 'APPROVAL', text: ({ approval }) => approval },
  { title: 'STATE', text: ({ state }) => state },
  { title: 'TOOL', text: ({ connection, tool }) => `${connection}__${tool}`, minWidth: 10 },
  { title: 'PERSON', text: ({ person }) => person },
  { title: 'ARGUMENTS', text: ({ arguments_preview: preview }) => preview ?? '', minWidth: 12 },
  { title: 'VIA', text: formatCallOrigin, optional: true },
  { title: 'EXPIRES (UTC)', text: ({ expires_at: at }) => at.replace('T', ' ').replace(/\.\d+Z$/, ''), optional: true },
  { title: 'DECIDED BY', text: ({ decided_by: name }) => name ?? '', optional: true },
  { title: 'YOURS TO DECIDE', text: ({ may_decide: mayDecide }) => (mayDecide ? 'yes' : ''), optional: true },
];

/** `vp approvals list`. */
export const approvalsListCommand = command({
  name: 'approvals list',
  summary: 'list the calls of a hub that wait for an approval',
  positionals: [hubArgument],
  flags: { all: { type: 'boolean', describe: 'also what was decided' }, ...controlPlaneFlags },
  examples: [
    ['vp approvals list acme', 'what waits'],
    ['vp approvals list acme --all --json', 'what was decided too, with all fields'],
  ],
  notes:
    'Lists what you may decide and what you have requested; owners of the hub see all. Show one with `vp approvals show`. ' +
    'With --json: {"approvals": […]}.',
  async run({ flags, args: [hub = ''], json, environment }) {
    const { streams, variables } = environment;
    const { hubApprovals } = await openClient(flags, environment);
    const approvals = await hubApprovals.list(hub, { state: flags.all ? 'all' : 'open' });
    const text = formatTable(approvals, columns, streams.stdout, paintFor(streams.stdout, variables));
    const emptyText = flags.all ? 'no call has needed an approval\n' : 'no call waits for an approval\n';
    streams.stdout.write(json ? `${JSON.stringify({ approvals }, null, 2)}\n` : text || emptyText);
    return exitCode.done;
  },
});
