import { command } from '../../command-line/command.ts';
import { hasValueForm } from '../../command-line/value-forms.ts';
import { channelKinds } from '../../contract/notification-names.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { applyRoutingFlags, createRefusal, parseTargetFlags, routingFlags, targetFlags } from './channel-flags.ts';
import { formatChannel } from './format-channel.ts';

const flags = {
  kind: {
    type: 'string',
    placeholder: '<kind>',
    default: 'webhook',
    choices: channelKinds,
    describe: 'webhook (signed), slack, teams or email',
  },
  ...targetFlags,
  ...routingFlags,
  ...controlPlaneFlags,
} as const;

/** `vp notifications add`. */
export const notificationsAddCommand = command({
  name: 'notifications add',
  summary: 'send changes of state to a webhook, a chat or people',
  positionals: [{ name: 'channel', describe: 'name: lowercase letters, digits and hyphens', required: true }],
  flags,
  examples: [
    ['vp notifications add team --kind slack --secret-file -', 'reads the URL that Slack shows from standard input'],
    ['vp notifications add ops --event newly_failing --event executor_lost --secret-file url', 'a signed webhook'],
    [
      'vp notifications add mail --kind email --mail-server smtp.example:587 --from vp@example.org --to ana@example.org',
      'over SMTP',
    ],
    [
      'vp notifications add night --kind teams --secret-file url --quiet 22:00-07:00 --time-zone Europe/Berlin',
      'nothing at night',
    ],
  ],
  notes:
    'The secret that signs the messages of a webhook is printed only once. `vp notifications test <channel>` sends a message ' +
    'now. With --json: {"channel": {…}, "secret"}.',
  async run({ flags, args: [id = ''], json, environment }) {
    const refuse = createRefusal('notifications add');
    if (!hasValueForm('channel', id)) refuse('<channel>', 'must be 1 to 60 lowercase letters, digits and hyphens');
    const kind = channelKinds.find((name) => name === flags.kind) ?? 'webhook';
    const target = await parseTargetFlags(kind, flags, environment, refuse);
    if (kind !== 'email' && target.url === undefined)
      refuse('--secret-file', 'is needed with the URL, or VP_CHANNEL_SECRET');
    if (kind === 'email' && target.email === undefined) refuse('--mail-server', 'is needed for email');
    const routing = applyRoutingFlags(flags, refuse);
    const { notifications } = await openClient(flags, environment);
    const created = await notifications.create({ channel: id, kind, ...target, ...routing });
    const { channel, secret } = created;
    const signing = secret === undefined ? '' : `  secret ${secret} (it is not shown again)\n`;
    const text = `${formatChannel(channel, signing)}try it with \`vp notifications test ${id}\`\n`;
    environment.streams.stdout.write(json ? `${JSON.stringify(created, null, 2)}\n` : text);
    return exitCode.done;
  },
});
