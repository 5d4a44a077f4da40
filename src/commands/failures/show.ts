import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { completeCommands } from '../suggest.ts';
import { failureArgument, failureFlags } from './failure-flags.ts';
import { formatFailureDetails } from './format-failure.ts';

/** `vp failures show`. */
export const failuresShowCommand = command({
  name: 'failures show',
  summary: 'show a failure: since when, in which versions of the target, in which runs',
  positionals: [failureArgument],
  flags: failureFlags,
  examples: [['vp failures show 3f9a1c0b7d2e4f58', 'the id is in the first column of `vp failures`']],
  notes: '`vp runs show <run id>` shows one of its runs with what came instead. With --json: {"failure": {…}}.',
  async run({ flags, args: [id = ''], json, environment, catalogue }) {
    const { streams, variables } = environment;
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const failure = await client.failures.get(instance, id);
    const [newest] = failure.newest_runs;
    const next = newest ? `\nsee what came instead: \`vp runs show ${newest.run_id}\`\n` : '';
    streams.stdout.write(
      json
        ? `${JSON.stringify({ failure }, null, 2)}\n`
        : formatFailureDetails(failure, paintFor(streams.stdout, variables)) +
            (await completeCommands(next, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
