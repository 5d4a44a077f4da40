/** Reads server-sent events (WHATWG HTML, section 9.2.6). */
import { StringDecoder } from 'node:string_decoder';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/**
 * Lines with a field that the standard does not know, per stream. The parser creates an error with a stack for each: a stream of
 * them would take 400 ms per 64 KB.
 */
const maxUnknownFields = 1000;
const byteOrderMark = '\uFEFF';

/**
 * The events of a stream that have data; leaving the loop cancels the body. Throws for a stream that is not one of events.
 * `onRetry` is called with the time in milliseconds after which the stream may be opened again.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array> | null,
  onRetry?: (ms: number) => void,
): AsyncGenerator<EventSourceMessage, void> {
  let events: EventSourceMessage[] = [];
  const feed = createEventFeed((event) => events.push(event), onRetry);
  for await (const chunk of body ?? []) {
    feed(chunk);
    if (events.length === 0) continue;
    yield* events;
    events = [];
  }
}

/** Returns a function that reads the bytes of a stream; it throws like {@link readEvents}. */
export function createEventFeed(
  onEvent: (event: EventSourceMessage) => void,
  onRetry?: (ms: number) => void,
): (bytes: Uint8Array) => void {
  const feed = createFeed(onEvent, onRetry);
  // For small pieces a third of the time of a TextDecoder of a stream.
  const decoder = new StringDecoder('utf8');
  let isStart = true;
  return (bytes) => {
    const text = decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (text === '') return;
    feed(isStart && text.startsWith(byteOrderMark) ? text.slice(1) : text);
    isStart = false;
  };
}

/** The events of a complete text; the last one needs no empty line. */
export function parseEvents(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  createFeed((event) => events.push(event))(`${text}\n\n`);
  return events;
}

function createFeed(
  onEvent: (event: EventSourceMessage) => void,
  onRetry: (ms: number) => void = () => {},
): (text: string) => void {
  let unknownFields = 0;
  const onError = (error: Error): void => {
    unknownFields += 1;
    if (unknownFields > maxUnknownFields) throw error;
  };
  const parser = createParser({ onEvent, onError, onRetry });
  let endsWithReturn = false;
  return (chunk) => {
    if (chunk === '') return;
    // The parser takes quadratic time for a chunk of many lines with a carriage return at its end.
    const text = endsWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endsWithReturn = chunk.endsWith('\r');
    parser.feed(text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);
  };
}
