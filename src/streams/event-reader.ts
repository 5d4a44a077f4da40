/** Reads server-sent events (WHATWG HTML, section 9.2.6). */
import { createParser, type EventSourceMessage, type ParseError } from 'eventsource-parser';
import { GrowingBuffer } from './growing-buffer.ts';

/**
 * Lines with a field that the standard does not know, per stream. The parser creates an error with a stack for each: a stream of
 * them would take 400 ms per 64 KB.
 */
const maxUnknownFields = 1000;
/** More than any reader of events takes: those have their own limits. */
const maxEventBytes = 32 * 1024 * 1024;
/** In one event; the parser takes 100 bytes for each, so that 10 MiB of short ones took 155. */
const maxDataLines = 100_000;
const byteOrderMark = '\uFEFF';
const newline = 10;
const carriageReturn = 13;

/**
 * The events of a stream that have data; leaving the loop cancels the body. Throws for a stream that is not one of events.
 * `onRetry` is called with the time in milliseconds after which the stream may be opened again.
 */
export async function* readEvents(
  body: AsyncIterable<Uint8Array> | null,
  onRetry?: (ms: number) => void,
): AsyncGenerator<EventSourceMessage, void> {
  let events: EventSourceMessage[] = [];
  const feed = createByteEventReader((event) => events.push(event), onRetry);
  for await (const chunk of body ?? []) {
    feed(chunk);
    if (events.length === 0) continue;
    yield* events;
    events = [];
  }
}

/**
 * Returns a function that reads the bytes of a stream; it throws like {@link readEvents}. The start of a line waits in one buffer,
 * because the parser has a string for each chunk: 10 million chunks of one byte took 310 MiB.
 */
export function createByteEventReader(
  onEvent: (event: EventSourceMessage) => void,
  onRetry?: (ms: number) => void,
): (bytes: Uint8Array) => void {
  const feed = createFeed(onEvent, onRetry);
  const rest = new GrowingBuffer();
  let isStart = true;
  return (bytes) => {
    const end = Math.max(bytes.lastIndexOf(newline), bytes.lastIndexOf(carriageReturn)) + 1;
    if (end > 0) {
      rest.append(bytes.subarray(0, end));
      const text = rest.takeText();
      feed(isStart && text.startsWith(byteOrderMark) ? text.slice(1) : text);
      isStart = false;
    }
    if (end < bytes.length) rest.append(bytes.subarray(end));
    if (rest.length > maxEventBytes) throw new RangeError(`a line is longer than ${maxEventBytes} bytes`);
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
  let dataLines = 0;
  let endsWithReturn = false;
  const onError = (error: ParseError): void => {
    unknownFields += 1;
    if (unknownFields > maxUnknownFields || error.type === 'max-buffer-size-exceeded') throw error;
  };
  const onParsedEvent = (event: EventSourceMessage): void => {
    dataLines = 0;
    onEvent(event);
  };
  const parser = createParser({ onEvent: onParsedEvent, onError, onRetry, maxBufferSize: maxEventBytes });
  return (chunk) => {
    if (chunk === '') return;
    // The parser takes quadratic time for a chunk of many lines with a carriage return at its end.
    const text = endsWithReturn && chunk.startsWith('\n') ? chunk.slice(1) : chunk;
    endsWithReturn = chunk.endsWith('\r');
    const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
    dataLines += countDataLines(lines);
    parser.feed(lines);
    if (dataLines > maxDataLines) throw new RangeError(`an event has more than ${maxDataLines} lines of data`);
  };
}

function countDataLines(lines: string): number {
  let count = lines.startsWith('data') ? 1 : 0;
  for (let at = lines.indexOf('\ndata'); at >= 0; at = lines.indexOf('\ndata', at + 1)) count += 1;
  return count;
}
