/**
 * Errors of a request that no person has looked at yet. Anybody may register any address, so a link to our origin must not
 * lead there by itself (RFC 9700 section 4.11.2): the person is told here instead. A program on the person's own machine is
 * told as ever.
 */
import { redirectHostOf } from './asking-client.ts';
import { type RefusedPage, type RefusedRequest, type Refusing, tellRefused } from './refused-requests.ts';

/** What is looked at of an answer; the OAuth server's contexts have it. */
type Answering = Refusing & {
  readonly path: string;
  readonly response: { get(name: string): string; remove(name: string): void };
  status: number;
};

/** An error on the way out to `location`; undefined for every other redirect. */
function errorIn(location: string): RefusedRequest | undefined {
  const url = URL.parse(location);
  const parameters = new URLSearchParams(url?.search || url?.hash.slice(1));
  const error = parameters.get('error');
  if (!url || error === null) return undefined;
  const isOnOwnMachine = url.protocol === 'http:';
  return isOnOwnMachine
    ? undefined
    : { error, why: parameters.get('error_description') ?? undefined, host: redirectHostOf(location) };
}

/** Answers the first request of an authorization, where it went wrong, here. */
export function withoutUnaskedRedirects(page: RefusedPage | undefined) {
  return async (ctx: Answering, next: () => Promise<void>): Promise<void> => {
    await next();
    if (ctx.path !== '/oauth/authorize' || ctx.status < 300 || ctx.status >= 400) return;
    const found = errorIn(ctx.response.get('location'));
    if (!found) return;
    ctx.response.remove('location');
    ctx.status = 400;
    tellRefused(ctx, found, page);
  };
}
