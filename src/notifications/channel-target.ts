/** Where a channel leads: its address and its secrets, sealed in the store. */
import type { ChannelKind } from '../contract/notification-names.ts';
import type { MailTarget } from '../contract/notifications-api.ts';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { type SealingKey, seal, unseal } from '../secrets/sealing.ts';
import type { ChannelRow } from '../store/control/notifications/channels.ts';

/** `secret` is in base64, and only webhooks have one. */
export type ChannelTarget = { readonly url: string; readonly secret: string | null } | { readonly email: MailTarget };

function getSealContext(channel: string): string {
  return `notification_channels/sealed_target/${channel}`;
}

export function sealTarget(key: SealingKey, channel: string, target: ChannelTarget, random: Random): Uint8Array {
  return seal(key, getSealContext(channel), Buffer.from(JSON.stringify(target)), random);
}

export function unsealTarget(key: SealingKey, { id, sealed_target: sealed }: ChannelRow): ChannelTarget {
  const plain = unseal(key, getSealContext(id), sealed);
  if (!plain) throw vpError('INTERNAL', {}, { detail: `the target of channel ${id} is not sealed for it` });
  return JSON.parse(Buffer.from(plain).toString());
}

function refuse(member: string, problem: string): never {
  throw vpError('NOTIFICATION_CHANNEL_INVALID', { member, problem });
}

/** Addresses are checked when they are dialled. */
function parseUrl(text: string, allowHttp: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : refuse('url', 'is not a URL');
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) refuse('url', 'must begin with https://');
  if (url.username !== '' || url.password !== '') refuse('url', 'must not have a user name or a password');
  return url;
}

function assertValidMail({ security, user, password }: MailTarget, allowPrivate: boolean): void {
  if ((user === undefined) !== (password === undefined)) refuse('email', 'give both a user and a password, or neither');
  if (security !== 'none') return;
  if (!allowPrivate) refuse('email', 'security must be tls or starttls');
  if (user !== undefined) refuse('email', 'a password is sent only with tls or starttls');
}

export type TargetInput = { readonly url?: string | undefined; readonly email?: MailTarget | undefined };

/** Undefined when the input names none. `secret` is that of the channel. Throws NOTIFICATION_CHANNEL_INVALID. */
export function parseTarget(
  kind: ChannelKind,
  { url, email }: TargetInput,
  secret: string | null,
  allowPrivate: boolean,
): ChannelTarget | undefined {
  if (kind === 'email') {
    if (url !== undefined) refuse('url', 'channels of email have none; give the mail server');
    if (email) assertValidMail(email, allowPrivate);
    return email && { email };
  }
  if (email) refuse('email', `channels of ${kind} have none; give the URL`);
  return url === undefined ? undefined : { url: parseUrl(url, allowPrivate).href, secret };
}

/** The path and the query of a URL may be secret. */
export function describeTarget(target: ChannelTarget): string {
  return 'url' in target ? new URL(target.url).origin : `${target.email.to.join(', ')} by ${target.email.server}`;
}
