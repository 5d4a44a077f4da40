/** The response to a batch: the messages of the responses to its requests, on one stream as they come. */
import { formatEvent } from '../../streams/event-stream.ts';

const encoder = new TextEncoder();

/** The responses are plain JSON, or streams whose chunks are whole events. */
export function mergeResponses(responses: readonly Promise<Response>[]): Response {
  const cancellation = new AbortController();
  let remaining = responses.length;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const response of responses)
        void copyMessages(response, controller, cancellation.signal)
          .catch(() => {})
          .finally(() => {
            remaining -= 1;
            if (remaining === 0 && !cancellation.signal.aborted) controller.close();
          });
    },
    cancel: (reason) => cancellation.abort(reason),
  });
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform' };
  return new Response(body, { headers });
}

async function copyMessages(
  pending: Promise<Response>,
  controller: ReadableStreamDefaultController<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const response = await pending;
  const { body } = response;
  if (!body) return;
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const json = await response.text();
    if (!signal.aborted) controller.enqueue(encoder.encode(formatEvent({ type: 'message', data: json })));
    return;
  }
  const reader = body.getReader();
  const cancel = (): void => void reader.cancel(signal.reason).catch(() => {});
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  for (let next = await reader.read(); !next.done; next = await reader.read())
    if (!signal.aborted) controller.enqueue(next.value);
}
