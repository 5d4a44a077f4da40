/**
 * A stream of events on its way through: what passes are whole events, so that behind an executor that dies in the middle
 * of one the router can still say so in an event of its own.
 */

/** An event larger than this is no answer of ours. */
const largestEventBytes = 16 * 1024 * 1024;

/** A stream that is not what an executor sends; the message says what is wrong with it. */
export class StreamFault extends Error {}

/** The bytes of `chunks`, cut behind events; at the orderly end the rest, whatever it is. */
export async function* wholeEvents(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let kept: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    kept = kept.length === 0 ? Buffer.from(chunk) : Buffer.concat([kept, chunk]);
    const end = endOfLastEvent(kept);
    if (end > 0) {
      yield kept.subarray(0, end);
      kept = kept.subarray(end);
    }
    if (kept.length > largestEventBytes) throw new StreamFault('one of its events is too large');
  }
  if (kept.length > 0) yield kept;
}

/** Behind the last empty line; 0 without one. */
function endOfLastEvent(bytes: Buffer): number {
  const ends = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => {
    const at = bytes.lastIndexOf(end);
    return at < 0 ? 0 : at + end.length;
  });
  return Math.max(...ends);
}

/** True when one of the events in `bytes` is the response to the request `id`. */
export function holdsResponse(bytes: Buffer, id: string | number): boolean {
  const events = bytes.toString('utf8').split(/\r\n\r\n|\n\n|\r\r/);
  return events.some((event) => isResponse(dataOf(event), id));
}

function dataOf(event: string): unknown {
  const lines = event.split(/\r\n|\n|\r/).filter((line) => line.startsWith('data:'));
  return parsed(lines.map((line) => line.slice('data:'.length)).join('\n'));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isResponse(message: unknown, id: string | number): boolean {
  if (typeof message !== 'object' || message === null || !('id' in message)) return false;
  return message.id === id && ('result' in message || 'error' in message);
}

/** A message as an event. */
export function eventOf(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
