/** Server-sent events (WHATWG HTML, section 9.2) as a response. */

/** One event as text. Without `data` it only moves the reader's last event id. */
export function eventText(event: { readonly id?: number; readonly type?: string; readonly data?: unknown }): string {
  const lines = [
    event.id === undefined ? '' : `id: ${event.id}\n`,
    event.type === undefined ? '' : `event: ${event.type}\n`,
    // JSON holds no bare line break, so one data line is enough.
    event.data === undefined ? '' : `data: ${JSON.stringify(event.data)}\n`,
  ];
  return `${lines.join('')}\n`;
}

/** A comment keeps proxies and peers from taking silence for an end. */
export const heartbeatText = ': heartbeat\n\n';

/**
 * Streams what `texts` yields; it is asked for the next text only when the reader has taken the last one, and its
 * signal is aborted when the reader leaves or `closing` is. It must then end without throwing.
 */
export function eventStream(
  texts: (signal: AbortSignal) => AsyncIterator<string>,
  reader: AbortSignal,
  closing: AbortSignal | undefined,
): Response {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  if (reader.aborted || closing?.aborted) end();
  reader.addEventListener('abort', end, { once: true });
  closing?.addEventListener('abort', end, { once: true });
  const release = (): void => {
    end();
    reader.removeEventListener('abort', end);
    closing?.removeEventListener('abort', end);
  };
  const iterator = texts(ended.signal);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (!done) return controller.enqueue(encoder.encode(value));
      release();
      controller.close();
    },
    async cancel() {
      release();
      await iterator.return?.();
    },
  });
  const headers = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };
  return new Response(body, { headers });
}
