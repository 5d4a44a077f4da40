import { exitCode } from '../errors/exit-code.ts';
import { command } from './command.ts';
import { connect } from './control-plane.ts';
import { controlPlaneFlags } from './control-plane-flags.ts';

/** `vp runs cancel`. */
export const runsCancelCommand = command({
  name: 'runs cancel',
  summary: 'cancel a run',
  positionals: [{ name: 'run', describe: 'run id, as `vp runs` lists it', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp runs cancel 20261120T143012345', 'end it at once, or ask its executor to stop']],
  notes: 'A queued run ends at once. One that is in progress is asked to stop: it may still end in its own way first.',
  async run({ flags, words: [runId = ''], json, environment }) {
    const { runs } = await connect(flags, environment);
    const run = await runs.cancel(runId);
    const told =
      run.state === 'cancelled' ? 'is cancelled' : 'has been asked to stop; `vp runs show` tells how it ends';
    environment.streams.stdout.write(json ? `${JSON.stringify({ run }, null, 2)}\n` : `run ${run.run_id} ${told}\n`);
    return exitCode.done;
  },
});
