/** Writes server-sent events (WHATWG HTML, section 9.2). */

export type EventFields = { readonly id?: string | number | undefined; readonly type?: string | undefined };

/** Without `data` the event only sets the reader's last event id. */
export function formatEvent({ id, type, data }: EventFields & { readonly data?: string | undefined }): string {
  const dataLines = data === undefined ? '' : formatData(data);
  const idLine = id === undefined ? '' : `id: ${id}\n`;
  const typeLine = type === undefined ? '' : `event: ${type}\n`;
  return `${idLine}${typeLine}${dataLines}\n`;
}

/** Large texts are mostly one line, and splitting these costs more than the rest. */
function formatData(data: string): string {
  if (!data.includes('\n') && !data.includes('\r')) return `data: ${data}\n`;
  const lines = data.split(/\r\n|\n|\r/).map((line) => `data: ${line}\n`);
  return lines.join('');
}

/** Like {@link formatEvent}, with the data as JSON. */
export function formatJsonEvent({ data, ...fields }: EventFields & { readonly data?: unknown }): string {
  return formatEvent({ ...fields, data: data === undefined ? undefined : JSON.stringify(data) });
}

/** A comment, so that proxies and readers do not take silence for the end of the stream. */
export const heartbeatComment = ': heartbeat\n\n';

/**
 * Streams the texts of the iterator. The next text is pulled only after the reader has taken the last one. The signal is
 * aborted when the reader disconnects or the listener closes; the iterator must then end without throwing.
 */
export function createEventStreamResponse(
  openTexts: (signal: AbortSignal) => AsyncIterator<string>,
  readerSignal: AbortSignal,
  closingSignal: AbortSignal | undefined,
): Response {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  if (readerSignal.aborted || closingSignal?.aborted) abort();
  readerSignal.addEventListener('abort', abort, { once: true });
  closingSignal?.addEventListener('abort', abort, { once: true });
  const release = (): void => {
    abort();
    readerSignal.removeEventListener('abort', abort);
    closingSignal?.removeEventListener('abort', abort);
  };
  const iterator = openTexts(controller.signal);
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
