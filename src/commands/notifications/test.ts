import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { channelArgument } from './channel-flags.ts';

/** `vp notifications test`. */
export const notificationsTestCommand = command({
  name: 'notifications test',
  summary: 'send a test message to a channel now',
  positionals: [channelArgument],
  flags: controlPlaneFlags,
  examples: [['vp notifications test team', 'exit 0 when the receiver has accepted it, else 4 with the reason']],
  notes: 'It is sent at once, also in quiet hours, and is in `vp notifications log`. With --json: {"sent": true}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { notifications } = await openClient(flags, environment);
    await notifications.test(id);
    environment.streams.stdout.write(json ? '{"sent":true}\n' : `channel ${id} has accepted a test message\n`);
    return exitCode.done;
  },
});
