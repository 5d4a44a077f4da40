/** Bodies of answers, bounded: JSON as a whole, a stream of events event by event. */
import { vpError } from '../errors/vp-error.ts';

/** What is read of a body; undici's is one. */
export type IncomingBody = AsyncIterable<Buffer> & { destroy(): unknown; text(): Promise<string> };

/** What whoever asks wants beside the answer. */
export type AnswerWishes = {
  /** Hears how a stream of events ended: `problem` is undefined when in order, `resumable` when its events had ids. */
  onStreamEnd?(problem: unknown, resumable: boolean): void;
  /** Less than what is read of anybody's answer. */
  readonly mostBytes?: number | undefined;
};

/** What is known of a body before it is read. */
export type BodyBounds = AnswerWishes & {
  /** By `Content-Length`; 0 where it is not told. */
  readonly toldBytes: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly limitBytes: number;
  readonly host: string;
};

const newline = 10;

/**
 * The body for a `Response`. An answer that is no stream is read at once, which is fastest. Throws
 * UPSTREAM_ANSWER_TOO_LARGE, also in the midst of a stream.
 */
export async function boundedBody(
  body: IncomingBody,
  bounds: BodyBounds,
): Promise<string | ReadableStream<Uint8Array>> {
  const { toldBytes, headers, limitBytes } = bounds;
  if (isEvents(headers)) return eventStream(body, bounds);
  // The parser of HTTP ends a body at the length that was told, so that one is safe to read whole, which is fastest.
  if (toldBytes > 0 && toldBytes <= limitBytes) return body.text();
  const chunks: Buffer[] = [];
  let size = toldBytes;
  if (size <= limitBytes) {
    size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limitBytes) break;
      chunks.push(chunk);
    }
  }
  if (size <= limitBytes) return Buffer.concat(chunks).toString('utf8');
  body.destroy();
  throw tooLarge(bounds);
}

function tooLarge({ host, limitBytes }: BodyBounds): Error {
  return vpError('UPSTREAM_ANSWER_TOO_LARGE', { connection: host, limit_mb: Math.round(limitBytes / 1_000_000) });
}

function isEvents(headers: readonly (readonly [string, string])[]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && value.startsWith('text/event-stream'));
}

/** Counts from the last empty line on, where an event has ended. */
function eventStream(body: IncomingBody, bounds: BodyBounds): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let size = 0;
  let resumable = false;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) {
          controller.close();
          return bounds.onStreamEnd?.(undefined, resumable);
        }
        resumable ||= value.includes('id:');
        const end = lastEnd(value);
        size = end < 0 ? size + value.length : value.length - end;
        if (size > bounds.limitBytes) throw tooLarge(bounds);
        controller.enqueue(value);
      } catch (error) {
        body.destroy();
        controller.error(error);
        bounds.onStreamEnd?.(error, false);
      }
    },
    cancel() {
      body.destroy();
    },
  });
}

/** Where the last event of the chunk ends; -1 when none does. Lines may end with CR LF. */
function lastEnd(chunk: Buffer): number {
  let at = chunk.lastIndexOf(newline);
  while (at > 0) {
    const before = chunk[at - 1] === 13 ? at - 2 : at - 1;
    if (chunk[before] === newline) return at + 1;
    at = chunk.lastIndexOf(newline, at - 1);
  }
  return -1;
}
