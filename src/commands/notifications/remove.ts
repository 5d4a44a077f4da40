import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { channelArgument } from './channel-flags.ts';

/** `vp notifications remove`. */
export const notificationsRemoveCommand = command({
  name: 'notifications remove',
  summary: 'remove a channel; its log stays',
  positionals: [channelArgument],
  flags: controlPlaneFlags,
  examples: [['vp notifications remove team', 'changes that wait for it are not sent']],
  notes: 'With --json: {"removed"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const { notifications } = await openClient(flags, environment);
    await notifications.remove(id);
    environment.streams.stdout.write(json ? `${JSON.stringify({ removed: id })}\n` : `channel ${id} is removed\n`);
    return exitCode.done;
  },
});
