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

/** `vp notifications retry`. */
export const notificationsRetryCommand = command({
  name: 'notifications retry',
  summary: 'send a message that was given up again',
  positionals: [channelArgument, { name: 'delivery', describe: 'id, from `vp notifications log`', required: true }],
  flags: controlPlaneFlags,
  examples: [['vp notifications retry team ntf_9f2c', 'with the same id as before']],
  notes: 'Changes that were in the same message are sent with it. With --json: {"retried"}.',
  async run({ flags, args: [id = '', delivery = ''], json, environment }) {
    const { notifications } = await openClient(flags, environment);
    await notifications.retry(id, delivery);
    const text = `${delivery} is sent again; see \`vp notifications log ${id}\`\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ retried: delivery })}\n` : text);
    return exitCode.done;
  },
});

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
