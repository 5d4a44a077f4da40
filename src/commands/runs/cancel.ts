import { findRunId } from '../../client/find-run.ts';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { completeCommands } from '../suggest.ts';

/** `vp runs cancel`. */
export const runsCancelCommand = command({
  name: 'runs cancel',
  summary: 'cancel a run',
  positionals: [
    {
      name: 'run',
      describe: 'run id, correlation id (`tr-…`), or a part that only one run has',
      required: true,
      kind: 'run',
    },
  ],
  flags: controlPlaneFlags,
  examples: [['vp runs cancel 20261120T143012345', 'cancels it if it is queued, else asks its executor to stop']],
  notes: 'A queued run ends at once. A running one is asked to stop, but may still finish first.',
  async run({ flags, args: [runId = ''], json, environment, catalogue }) {
    const { runs } = await openClient(flags, environment);
    const run = await runs.cancel(await findRunId(runs, runId));
    const statusText =
      run.state === 'cancelled'
        ? 'is cancelled'
        : `has been asked to stop; see the result with \`vp runs show ${run.run_id}\``;
    environment.streams.stdout.write(
      json
        ? `${JSON.stringify({ run }, null, 2)}\n`
        : await completeCommands(`run ${run.run_id} ${statusText}\n`, { environment, catalogue }),
    );
    return exitCode.done;
  },
});
