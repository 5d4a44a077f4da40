/** Long-lived streams: authorized once, then rechecked at intervals. */
import type { Clock } from '../../environment/clock.ts';

/** A stream outlives its token, grant or membership by at most this long. */
export const recheckIntervalMs = 15_000;

/** True if the response lasts until the reader leaves. */
export function isStreamRequest(request: Request, body: unknown): boolean {
  if (request.method === 'GET') return true;
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';
}

/** Returns the response with a body that ends soon after `isAuthorized` resolves to false or rejects. */
export function endWhenRevoked(
  response: Response,
  isAuthorized: () => Promise<boolean>,
  clock: Pick<Clock, 'after'>,
): Response {
  const { body, status, headers } = response;
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const reader = body.getReader();
  let isEnded = false;
  let cancelRecheck = (): void => undefined;
  const markEnded = (): void => {
    isEnded = true;
    cancelRecheck();
  };
  const recheck = async (): Promise<void> => {
    const isStillAuthorized = await isAuthorized().catch(() => false);
    if (isEnded) return;
    if (!isStillAuthorized) await reader.cancel().catch(() => undefined);
    else cancelRecheck = clock.after(recheckIntervalMs, () => void recheck());
  };
  cancelRecheck = clock.after(recheckIntervalMs, () => void recheck());
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A cancelled reader reports the end, which also closes this stream.
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      markEnded();
      controller.close();
    },
    async cancel(reason) {
      markEnded();
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status, headers });
}
