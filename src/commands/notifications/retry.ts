import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { channelArgument } from './channel-flags.ts';

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
