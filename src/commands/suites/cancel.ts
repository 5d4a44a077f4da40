import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient, selectInstance } from '../control-plane/control-plane-client.ts';
import { suiteArgument, suiteFlags } from './suite-flags.ts';

/** `vp suites cancel`. */
export const suitesCancelCommand = command({
  name: 'suites cancel',
  summary: 'cancel the runs of a suite that have not ended',
  positionals: [suiteArgument],
  flags: suiteFlags,
  examples: [['vp suites cancel s20261120T143012345', 'results so far are kept']],
  notes: 'A run that has started is asked to stop. With --json: {"cancelled": n}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const client = await openClient(flags, environment);
    const { instance_id: instance } = await selectInstance(client, flags.instance);
    const cancelled = await client.suites.cancel(instance, id);
    const count = cancelled === 1 ? '1 run' : `${cancelled} runs`;
    const text = cancelled === 0 ? 'nothing to cancel: all runs have ended\n' : `cancelled ${count}\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ cancelled })}\n` : text);
    return exitCode.done;
  },
});
