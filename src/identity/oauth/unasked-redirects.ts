/**
 * Errors of a request that no person has looked at yet. Anybody may register any address, so a link to our origin must not
 * lead there by itself (RFC 9700 section 4.11.2): the person is told here instead. A program on the person's own machine is
 * told as ever.
 */
import { redirectHostOf } from './asking-client.ts';

/** What is looked at of an answer; the OAuth server's contexts have it. */
type Answering = {
  readonly path: string;
  readonly response: { get(name: string): string; remove(name: string): void };
  status: number;
  type: string;
  body: unknown;
};

/** An error on the way out to `location`; undefined for every other redirect. */
function errorIn(location: string): { error: string; why: string; host: string } | undefined {
  const url = URL.parse(location);
  const parameters = new URLSearchParams(url?.search || url?.hash.slice(1));
  const error = parameters.get('error');
  if (!url || error === null) return undefined;
  const isOnOwnMachine = url.protocol === 'http:';
  return isOnOwnMachine
    ? undefined
    : { error, why: parameters.get('error_description') ?? error, host: redirectHostOf(location) };
}

/** Answers the first request of an authorization, where it went wrong, by a page of our own. */
export async function withoutUnaskedRedirects(ctx: Answering, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.path !== '/oauth/authorize' || ctx.status < 300 || ctx.status >= 400) return;
  const found = errorIn(ctx.response.get('location'));
  if (!found) return;
  ctx.response.remove('location');
  ctx.status = 400;
  ctx.type = 'text/plain; charset=utf-8';
  ctx.body = [
    `This request to sign in cannot go on: ${found.why} (${found.error}).`,
    `You were not sent on to ${found.host}, because nobody here has let that program in.`,
    'Go back to the program and begin again.',
    '',
  ].join('\n');
}
