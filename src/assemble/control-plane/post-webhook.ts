import type { Clock } from '../../environment/clock.ts';
import { createOutboundFetch } from '../../outbound/outbound-fetch.ts';
import { withTimeout } from '../../timing/timeout.ts';

export type WebhookPost = {
  readonly url: URL;
  /** JSON. */
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly extraRoots: readonly string[];
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'after'>;
  /** The path and the query of the URL may hold a secret, so an error names the origin only. */
  readonly createError: (problem: string) => Error;
};

const timeoutMs = 10_000;

/** Resolves when the receiver has accepted the message. Redirects are not followed. */
export async function postWebhook(post: WebhookPost): Promise<void> {
  const { url, body, headers = {}, extraRoots, variables, clock, createError } = post;
  const outboundFetch = await createOutboundFetch({ url: url.href, extraRoots, variables });
  const limits = { clock, timeoutMs, createError: () => createError(`no answer within ${timeoutMs / 1000} s`) };
  await withTimeout(limits, async (signal) => {
    const response = await outboundFetch(url.href, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal,
      redirect: 'manual',
    });
    await response.body?.getReader().cancel();
    if (!response.ok) throw createError(`it answered ${response.status}`);
  });
}
