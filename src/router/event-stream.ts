/**
 * Forwards an event stream in whole events, so that the router can append an event of its own when an executor dies in the
 * middle of one.
 */
import { isObject, tryParseJson } from '../json/json-object.ts';
import { parseEvents } from '../streams/event-reader.ts';
import { GrowingBuffer } from '../streams/growing-buffer.ts';

/** Executors never send a larger event. */
const maxEventBytes = 16 * 1024 * 1024;

/** A malformed or incomplete stream of an executor; the message is the problem. */
export class EventStreamError extends Error {}

/** The bytes of `chunks`, split after events; at the regular end also an incomplete rest. */
export async function* splitAtEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const buffer = new GrowingBuffer();
  for await (const chunk of chunks) {
    // The end of an event may begin in the bytes before the chunk.
    const searchFrom = Math.max(0, buffer.length - maxEventEndLength);
    buffer.append(chunk);
    const end = findLastEventEnd(buffer.view().subarray(searchFrom));
    if (end > 0) yield buffer.take(searchFrom + end);
    if (buffer.length > maxEventBytes) throw new EventStreamError('one of its events is too large');
  }
  if (buffer.length > 0) yield buffer.takeAll();
}

const maxEventEndLength = '\r\n\r\n'.length;

/** Index after the last empty line; 0 without one. */
function findLastEventEnd(bytes: Buffer): number {
  const endings = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => {
    const index = bytes.lastIndexOf(end);
    return index < 0 ? 0 : index + end.length;
  });
  return Math.max(...endings);
}

/** True when one of the events is the response to the request `id`. */
export function hasResponse(bytes: Buffer, id: string | number): boolean {
  return parseEvents(bytes.toString('utf8')).some(({ data }) => isResponse(tryParseJson(data), id));
}

function isResponse(message: unknown, id: string | number): boolean {
  if (!isObject(message) || !('id' in message)) return false;
  return message.id === id && ('result' in message || 'error' in message);
}
