import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { vpError } from '../../errors/vp-error.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import {
  applyRoutingFlags,
  channelArgument,
  clearedParts,
  createRefusal,
  hasRoutingFlags,
  parseTargetFlags,
  routingFlags,
  targetFlags,
} from './channel-flags.ts';
import { formatChannel } from './format-channel.ts';

const flags = {
  clear: {
    type: 'strings',
    placeholder: '<part>',
    choices: clearedParts,
    describe: 'remove a condition, the digest or the quiet hours; may be repeated',
  },
  ...targetFlags,
  ...routingFlags,
  ...controlPlaneFlags,
} as const;

/** `vp notifications edit`. */
export const notificationsEditCommand = command({
  name: 'notifications edit',
  summary: 'change what a channel gets, when, or its address',
  positionals: [channelArgument],
  flags,
  examples: [
    ['vp notifications edit team --digest 30', 'one message every half hour'],
    ['vp notifications edit team --clear tags --clear quiet', 'every scenario, at any time'],
    ['vp notifications edit team --secret-file -', 'a new URL, from standard input'],
  ],
  notes:
    'What no flag names stays, and so does the secret of a webhook. The mail server of a channel is replaced as a whole. ' +
    'With --json: {"channel": {…}}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const refuse = createRefusal('notifications edit');
    const { notifications } = await openClient(flags, environment);
    const before = (await notifications.list()).find(({ channel }) => channel === id);
    if (!before) throw vpError('NOTIFICATION_CHANNEL_UNKNOWN', { channel: id });
    const target = await parseTargetFlags(before.kind, flags, environment, refuse);
    if (Object.keys(target).length + flags.clear.length === 0 && !hasRoutingFlags(flags))
      refuse('--event', 'or another flag must be given');
    const routing = applyRoutingFlags(flags, refuse, before.routing, flags.clear);
    const channel = await notifications.change(id, { ...target, ...routing });
    const text = formatChannel(channel);
    environment.streams.stdout.write(json ? `${JSON.stringify({ channel }, null, 2)}\n` : text);
    return exitCode.done;
  },
});
