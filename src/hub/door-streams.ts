/** Streams that last: whoever listens is let in once, and looked at again from time to time. */
import type { Clock } from '../environment/clock.ts';

/** After a token, a grant or a membership has ended a stream goes on for at most so long. */
export const lookAgainMs = 15_000;

/** True for a request whose answer lasts until its reader leaves; others are calls, and end by themselves. */
export function isListening(request: Request, body: unknown): boolean {
  if (request.method === 'GET') return true;
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'subscriptions/listen';
}

/** The same answer, which ends soon after `isWelcome` has become false or cannot be told. */
export function whileWelcome(
  response: Response,
  isWelcome: () => Promise<boolean>,
  clock: Pick<Clock, 'after'>,
): Response {
  const { body, status, headers } = response;
  if (!body || !headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const reader = body.getReader();
  let isOver = false;
  let stop = (): void => undefined;
  const ended = (): void => {
    isOver = true;
    stop();
  };
  const look = async (): Promise<void> => {
    const stays = await isWelcome().catch(() => false);
    if (isOver) return;
    if (!stays) await reader.cancel().catch(() => undefined);
    else stop = clock.after(lookAgainMs, () => void look());
  };
  stop = clock.after(lookAgainMs, () => void look());
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A reader that was cancelled has no more, which ends this stream too.
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      ended();
      controller.close();
    },
    async cancel(reason) {
      ended();
      await reader.cancel(reason);
    },
  });
  return new Response(stream, { status, headers });
}
