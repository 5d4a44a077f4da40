import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { completeCommands } from '../suggest.ts';
import { formatSuiteUrl, suiteArgument, suiteFlags } from './suite-flags.ts';

/** `vp suites rerun`. */
export const suitesRerunCommand = command({
  name: 'suites rerun',
  summary: 'run again what did not pass in a suite',
  positionals: [suiteArgument],
  flags: {
    ...suiteFlags,
    all: { type: 'boolean', default: false, describe: 'run everything again, not only what did not pass' },
  },
  examples: [['vp suites rerun s20261120T143012345', 'in a new suite, which links to this one']],
  notes:
    'The verdict of the earlier suite does not change. The command does not wait for the runs: `vp suites show <suite> ' +
    '--exit-status` tells how the new suite ended. With --json: {"suite": {…}, "runs": […]}.',
  async run({ flags, args: [id = ''], json, environment, catalogue }) {
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const result = await client.suites.rerun(instance, id, flags.all ? { only: 'all' } : {});
    const { suite_id: suite } = result.suite;
    const count = result.runs.length === 1 ? '1 run' : `${result.runs.length} runs`;
    const next = `follow it with \`vp suites show ${suite}\`\n`;
    const text = `requested ${count} as suite ${suite} · ${formatSuiteUrl(client, instance, suite)}\n`;
    environment.streams.stdout.write(
      json ? `${JSON.stringify(result, null, 2)}\n` : text + (await completeCommands(next, { environment, catalogue })),
    );
    return exitCode.done;
  },
});
