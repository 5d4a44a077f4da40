import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags, hubArgument } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';
import { formatApproval, formatDecisions } from './format-approval.ts';

type Decision = {
  readonly verb: 'approve' | 'deny';
  readonly summary: string;
  readonly done: string;
  readonly note: string;
  readonly examples: [command: string, description: string][];
};

/** What `vp approvals approve` and `vp approvals deny` have in common. */
export function createDecisionCommand({ verb, summary, done, note, examples }: Decision) {
  return command({
    name: `approvals ${verb}`,
    summary,
    positionals: [hubArgument, { name: 'approval', describe: 'id of the approval', required: true, kind: 'approval' }],
    flags: {
      digest: {
        type: 'string',
        placeholder: '<digest>',
        describe: 'the digest that was shown: decides exactly this call',
      },
      comment: {
        type: 'string',
        placeholder: '<text>',
        describe: 'with --digest: for the caller, at most 300 characters',
      },
      ...controlPlaneFlags,
    },
    examples,
    notes: `Without --digest nothing is decided. ${note} With --json: {"approval": …}.`,
    async run({ flags: { digest, comment, ...flags }, args: [hub = '', id = ''], json, environment, catalogue }) {
      if (comment !== undefined && digest === undefined)
        throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--comment', other: '--digest' });
      const { hubApprovals } = await openClient(flags, environment);
      const input = { decision: verb, ...(comment === undefined ? {} : { comment }) };
      const approval =
        digest === undefined
          ? await hubApprovals.get(hub, id)
          : await hubApprovals.decide(hub, id, { ...input, digest });
      const { connection, tool, person } = approval;
      const text =
        digest === undefined
          ? `${formatApproval(approval)}${await completeCommands(formatDecisions(hub, approval), { environment, catalogue })}`
          : `${escapeUnsafeLine(`${connection}__${tool} by ${person} is ${done}`)}\n`;
      environment.streams.stdout.write(json ? `${JSON.stringify({ approval }, null, 2)}\n` : text);
      return exitCode.done;
    },
  });
}
