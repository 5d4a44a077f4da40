import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { formatTable } from '../../terminal/table.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { channelColumns } from './format-channel.ts';

/** `vp notifications list`. */
export const notificationsListCommand = command({
  name: 'notifications list',
  summary: 'list who is notified of changes of state',
  positionals: [],
  flags: controlPlaneFlags,
  examples: [['vp notifications list', 'with what waits and what was given up']],
  notes:
    'Create a channel with `vp notifications add`; `vp notifications log` shows what was sent. ' +
    'With --json: {"channels": […]}.',
  async run({ flags, json, environment }) {
    const { stdout } = environment.streams;
    const { notifications } = await openClient(flags, environment);
    const channels = await notifications.list();
    const table = formatTable(channels, channelColumns, stdout, paintFor(stdout, environment.variables));
    const none = 'nobody is notified; add a channel with `vp notifications add team --kind slack --secret-file -`\n';
    stdout.write(json ? `${JSON.stringify({ channels }, null, 2)}\n` : table || none);
    return exitCode.done;
  },
});
