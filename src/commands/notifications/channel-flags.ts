/** The flags of `vp notifications add` and `edit`, and what they make of a channel. */
import type { FlagDefinitions, FlagValues, Positional } from '../../command-line/command.ts';
import { type ChannelKind, notificationEvents } from '../../contract/notification-names.ts';
import type { ChangeChannelRequest, ChannelRouting, MailTarget } from '../../contract/notifications-api.ts';
import type { Environment } from '../../environment/environment.ts';
import { vpError } from '../../errors/vp-error.ts';
import { readSecretFile } from '../secret-file.ts';

export const channelArgument = {
  name: 'channel',
  describe: 'name of the channel, from `vp notifications list`',
  required: true,
  kind: 'channel',
} as const satisfies Positional;

export const targetFlags = {
  'secret-file': {
    type: 'string',
    placeholder: '<file>',
    describe:
      'file of mode 0600, or - for a line of standard input, with the URL, or for email the password; else VP_CHANNEL_SECRET',
  },
  'mail-server': { type: 'string', placeholder: '<host:port>', describe: 'for email: the SMTP server' },
  'mail-security': {
    type: 'string',
    placeholder: '<how>',
    choices: ['tls', 'starttls', 'none'],
    describe: 'for email: default tls at port 465, else starttls',
  },
  'mail-user': { type: 'string', placeholder: '<name>', describe: 'for email: sign in with this name' },
  from: { type: 'string', placeholder: '<address>', describe: 'for email: the sender' },
  to: { type: 'strings', placeholder: '<address>', describe: 'for email: a recipient; may be repeated' },
} as const satisfies FlagDefinitions;

export const routingFlags = {
  event: {
    type: 'strings',
    placeholder: '<event>',
    choices: notificationEvents,
    describe: 'only these changes; may be repeated',
  },
  of: {
    type: 'strings',
    placeholder: '<instance>',
    kind: 'instance',
    describe: 'only of these instances; may be repeated',
  },
  tag: {
    type: 'strings',
    placeholder: '<tag>',
    kind: 'tag',
    describe: 'only scenarios with one of these tags; may be repeated',
  },
  owner: {
    type: 'strings',
    placeholder: '<name>',
    describe: 'only scenarios of one of these owners; may be repeated',
  },
  digest: {
    type: 'number',
    placeholder: '<minutes>',
    integerRange: [1, 1440],
    describe: 'collect changes for that long, and send one message',
  },
  quiet: {
    type: 'string',
    placeholder: '<from-to>',
    describe: 'send nothing in this time, then one message: 22:00-07:00',
  },
  'time-zone': {
    type: 'string',
    placeholder: '<zone>',
    describe: 'for --quiet: a name such as Europe/Berlin; default UTC',
  },
} as const satisfies FlagDefinitions;

type TargetFlagValues = FlagValues<typeof targetFlags>;
type RoutingFlagValues = FlagValues<typeof routingFlags>;

type Refusal = (flag: string, problem: string) => never;

export function createRefusal(command: string): Refusal {
  return (flag, problem) => {
    throw vpError('FLAG_INVALID', { command: `vp ${command}`, flag, problem });
  };
}

async function readSecret(
  flags: TargetFlagValues,
  environment: Environment,
  refuse: Refusal,
): Promise<string | undefined> {
  const file = flags['secret-file'];
  if (file !== undefined) return readSecretFile(file, refuse, environment);
  return environment.variables.VP_CHANNEL_SECRET?.trim() || undefined;
}

function parseMailServer(text: string, refuse: Refusal): { server: string; port: number } {
  const [, server, port] = /^\[?([^\]]+?)\]?:(\d{1,5})$/.exec(text) ?? [];
  if (server === undefined || Number(port) > 65_535) return refuse('--mail-server', 'must be <host>:<port>');
  return { server, port: Number(port) };
}

async function parseMail(flags: TargetFlagValues, environment: Environment, refuse: Refusal): Promise<MailTarget> {
  const { 'mail-server': address, 'mail-security': security, 'mail-user': user, from, to } = flags;
  if (address === undefined) return refuse('--mail-server', 'is needed for email');
  if (from === undefined) return refuse('--from', 'is needed for email');
  if (to.length === 0) return refuse('--to', 'is needed for email');
  const { server, port } = parseMailServer(address, refuse);
  const password = user === undefined ? undefined : await readSecret(flags, environment, refuse);
  if (user !== undefined && password === undefined)
    return refuse('--mail-user', 'needs the password, in VP_CHANNEL_SECRET or with --secret-file');
  return {
    ...{ server, port, from, to: [...to] },
    security:
      security === 'tls' || security === 'starttls' || security === 'none'
        ? security
        : port === 465
          ? 'tls'
          : 'starttls',
    ...(user !== undefined && password !== undefined ? { user, password } : {}),
  };
}

function hasMailFlags({
  'mail-server': server,
  'mail-security': security,
  'mail-user': user,
  from,
  to,
}: TargetFlagValues) {
  return [server, security, user, from].some((value) => value !== undefined) || to.length > 0;
}

/** Empty where the flags name no target. Throws FLAG_INVALID, FLAG_NEEDS_ANOTHER, STORE_KEY_*. */
export async function parseTargetFlags(
  kind: ChannelKind,
  flags: TargetFlagValues,
  environment: Environment,
  refuse: Refusal,
): Promise<Pick<ChangeChannelRequest, 'url' | 'email'>> {
  if (kind === 'email') {
    if (flags['secret-file'] !== undefined && flags['mail-user'] === undefined)
      throw vpError('FLAG_NEEDS_ANOTHER', { flag: '--secret-file', other: '--mail-user' });
    return hasMailFlags(flags) ? { email: await parseMail(flags, environment, refuse) } : {};
  }
  if (hasMailFlags(flags)) refuse('--mail-server', 'and the other flags of email need --kind email');
  const url = await readSecret(flags, environment, refuse);
  return url === undefined ? {} : { url };
}

export function hasRoutingFlags(flags: RoutingFlagValues): boolean {
  const { event, of: instances, tag, owner, digest, quiet, 'time-zone': zone } = flags;
  return (
    [event, instances, tag, owner].some((values) => values.length > 0) ||
    [digest, quiet, zone].some((it) => it !== undefined)
  );
}

export const clearedParts = ['events', 'instances', 'tags', 'owners', 'digest', 'quiet'] as const;

/** `before` without the parts of `cleared`, and with what the flags name. Throws FLAG_INVALID. */
export function applyRoutingFlags(
  { event, of: instances, tag, owner, digest, quiet, 'time-zone': zone }: RoutingFlagValues,
  refuse: Refusal,
  before: ChannelRouting = {},
  cleared: readonly string[] = [],
): ChannelRouting {
  const isRetained = (part: (typeof clearedParts)[number]): boolean => !cleared.includes(part);
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(quiet ?? '') ?? [];
  if (quiet !== undefined && from === undefined) refuse('--quiet', 'must be two times of the day: 22:00-07:00');
  const quietBefore = isRetained('quiet') ? before.quiet_hours : undefined;
  const times = from !== undefined && to !== undefined ? { from, to } : quietBefore;
  if (zone !== undefined && !times) refuse('--time-zone', 'needs --quiet');
  const events =
    event.length === 0 && isRetained('events') ? before.events : notificationEvents.filter((it) => event.includes(it));
  const chosen = instances.length === 0 && isRetained('instances') ? (before.instances ?? []) : [...instances];
  const tags = tag.length === 0 && isRetained('tags') ? (before.tags ?? []) : [...tag];
  const owners = owner.length === 0 && isRetained('owners') ? (before.owners ?? []) : [...owner];
  const minutes = digest ?? (isRetained('digest') ? before.digest_minutes : undefined);
  return {
    ...(events === undefined || events.length === 0 ? {} : { events }),
    ...(chosen.length === 0 ? {} : { instances: chosen }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(owners.length === 0 ? {} : { owners }),
    ...(minutes === undefined ? {} : { digest_minutes: minutes }),
    ...(times === undefined
      ? {}
      : { quiet_hours: { from: times.from, to: times.to, time_zone: zone ?? quietBefore?.time_zone ?? 'UTC' } }),
  };
}
