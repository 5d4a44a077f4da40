/** Sends one message. */
import type { MailTarget } from '../contract/notifications-api.ts';
import { describeConnectionError, trustSteps } from '../errors/connection-problems.ts';
import { signWebhook } from '../secrets/webhook-signature.ts';
import type { ChannelRow } from '../store/control/notifications/channels.ts';
import { TimeLimitError, withTimeout } from '../timing/timeout.ts';
import { type ChannelTarget, unsealTarget } from './channel-target.ts';
import type { NotificationContext } from './context.ts';
import { formatBody, formatMail, type Message } from './format-message.ts';
import { sendMail } from './send-mail.ts';

/** `isAccepted`: it must not be sent again. `retryAfterMs`: the receiver asks for at least that long. */
export type SendProblem = {
  readonly problem: string;
  readonly isAccepted?: boolean;
  readonly retryAfterMs?: number | undefined;
};

const maxProblemLength = 300;
const maxRetryAfterS = 3_600;

function createHeaders(id: string, body: string, secret: string | null, nowMs: number): Record<string, string> {
  const headers = { 'content-type': 'application/json' };
  return secret === null ? headers : { ...headers, ...signWebhook(id, body, Buffer.from(secret, 'base64'), nowMs) };
}

async function post(
  { clock, fetch }: NotificationContext,
  { url, secret }: Extract<ChannelTarget, { url: string }>,
  id: string,
  body: string,
  signal: AbortSignal,
): Promise<SendProblem | undefined> {
  const headers = createHeaders(id, body, secret, clock.nowMs());
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  await response.body?.cancel();
  if (response.ok) return undefined;
  const retryAfter = response.headers.get('retry-after') ?? '';
  const retryAfterMs = /^\d{1,6}$/.test(retryAfter) ? Math.min(maxRetryAfterS, Number(retryAfter)) * 1000 : undefined;
  return { problem: `it answered ${response.status}`, retryAfterMs };
}

/** The password as text, and as AUTH LOGIN and AUTH PLAIN send it (RFC 4616): servers repeat a line that they refuse. */
function listMailSecrets({ user = '', password = '' }: MailTarget): string[] {
  const encode = (text: string): string => Buffer.from(text).toString('base64');
  return password === '' ? [] : [password, encode(password), encode(`\0${user}\0${password}`)];
}

/** What went wrong, without what may be secret. */
function describeProblem(error: unknown, target: ChannelTarget): string {
  if (error instanceof TimeLimitError) return error.message;
  if (!(error instanceof Error)) return 'it could not be reached';
  const url = 'url' in target ? target.url : '';
  const problem = describeConnectionError(error, { url, trustStep: trustSteps.controlPlane });
  if (problem !== undefined) return problem;
  const cause = error.cause instanceof Error ? error.cause : error;
  const secrets = 'url' in target ? [target.url, new URL(target.url).pathname.slice(1)] : listMailSecrets(target.email);
  let text = (cause.message || error.message).replaceAll(/\s+/g, ' ');
  for (const secret of secrets) if (secret.length > 3) text = text.replaceAll(secret, '…');
  return text.slice(0, maxProblemLength);
}

/** Undefined when the receiver has accepted the message. Throws the reason of `signal`. */
export async function sendMessage(
  context: NotificationContext,
  channel: ChannelRow,
  message: Message,
  signal: AbortSignal,
): Promise<SendProblem | undefined> {
  const { clock, dataKey, settings } = context;
  const target = unsealTarget(dataKey, channel);
  try {
    return await withTimeout(
      { clock, timeoutMs: settings.attemptTimeoutMs, signal },
      async (limit): Promise<SendProblem | undefined> => {
        if ('email' in target) {
          const refused = await sendMail(context, target.email, { ...formatMail(message), id: message.id }, limit);
          // The others have it: a second attempt would repeat it for them.
          const problem = `it refused ${refused} of ${target.email.to.length} recipients`;
          return refused === 0 ? undefined : { problem, isAccepted: true };
        }
        if (channel.kind === 'email') return { problem: 'the channel has no mail server' };
        return post(context, target, message.id, formatBody(channel.kind, message), limit);
      },
    );
  } catch (error) {
    signal.throwIfAborted();
    return { problem: describeProblem(error, target) };
  }
}
