import { runExample } from '../../../compose/example/run.ts';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';

/** `vp example-target`: the worked example application, as its container runs it. */
export const exampleTargetCommand = command({
  name: 'example-target',
  summary: 'run the example application that the demo verifies',
  positionals: [],
  flags: { health: { type: 'boolean', default: false, describe: 'only check the health of a running one' } },
  examples: [['API_TOKEN=secret PORT=3100 vp example-target', 'on http://127.0.0.1:3100, with rows in memory']],
  notes: 'Reads PORT, HOST, DATABASE_URL, API_TOKEN; see compose/example/README.md.',
  async run({ flags, environment }) {
    const { variables, streams, onInterrupt } = environment;
    const args = flags.health ? ['--health'] : [];
    const log = (line: string): unknown => streams.stdout.write(`${line}\n`);
    const code = await runExample({ args, variables, log, onInterrupt });
    if (code === 0) return exitCode.done;
    return code === 2 ? exitCode.invalidInput : exitCode.broken;
  },
});
