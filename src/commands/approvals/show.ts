import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import { formatApproval, formatDecisions } from './format-approval.ts';

/** `vp approvals show`. */
export const approvalsShowCommand = command({
  name: 'approvals show',
  summary: 'show a call that waits for an approval, with all that its server would get',
  positionals: [hubArgument, { name: 'approval', describe: 'id of the approval', required: true, kind: 'approval' }],
  flags: controlPlaneFlags,
  examples: [['vp approvals show acme 856a8c6db20e63981d', 'who calls what, and what was decided before']],
  notes: 'Characters that cannot be seen are marked: ⟦U+200B⟧. With --json: {"approval": …}.',
  async run({ flags, args: [hub = '', id = ''], json, environment, catalogue }) {
    const { hubApprovals } = await openClient(flags, environment);
    const approval = await hubApprovals.get(hub, id);
    const decisions = await completeCommands(formatDecisions(hub, approval), { environment, catalogue });
    environment.streams.stdout.write(
      json ? `${JSON.stringify({ approval }, null, 2)}\n` : `${formatApproval(approval)}${decisions}`,
    );
    return exitCode.done;
  },
});
