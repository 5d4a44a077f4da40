/** Changes of the control plane as an endless iteration that mends its own connection. */
import type { ChangeEvent } from '../contract/api.ts';
import type { VpError } from '../errors/vp-error.ts';
import { isObject, parsedJson, unexpected } from './answer.ts';
import { type EventBlock, eventBlocks } from './event-blocks.ts';
import { networkProblem } from './network-problem.ts';
import { isPassing } from './passing.ts';
import type { Pause } from './pause.ts';
import type { BodyReader, Transport } from './transport.ts';

/** What to listen to. */
export type EventsOptions = {
  readonly instance?: string | undefined;
  /** Begins behind this number; with now unless given. */
  readonly sinceSeq?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told at each change: undefined while connected, else why not. */
  readonly onConnection?: (problem: VpError | undefined) => void;
  /** A stream that says nothing for this long is taken for dead; heartbeats come every 15 s. */
  readonly silenceMs?: number;
};

const firstPauseMs = 250;
const longestPauseMs = 10_000;

/**
 * Yields each change once, in order, across reconnections. Ends when the signal is aborted; throws what no repetition
 * mends (a refused credential, an unknown instance).
 */
export async function* eventsOf(
  { transport, pause }: Parts,
  { instance, sinceSeq, signal, onConnection, silenceMs = 45_000 }: EventsOptions = {},
): AsyncGenerator<ChangeEvent, undefined> {
  const place: Place = { last: sinceSeq === undefined ? undefined : String(sinceSeq) };
  for (let failures = 0; !signal?.aborted; failures += 1) {
    try {
      for await (const change of connection(transport, { instance, signal, silenceMs, onConnection }, place)) {
        failures = 0;
        yield change;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isPassing(error)) throw error;
      onConnection?.(error);
    }
    await pause(Math.min(longestPauseMs, firstPauseMs * 2 ** failures), signal);
  }
}

type Parts = { readonly transport: Transport; readonly pause: Pause };
/** The last event id, which the next connection begins behind. */
type Place = { last: string | undefined };
type Listening = Omit<EventsOptions, 'sinceSeq'> & { readonly silenceMs: number };

/** The changes of one connection. */
async function* connection(
  transport: Transport,
  { instance, signal, silenceMs, onConnection }: Listening,
  place: Place,
): AsyncGenerator<ChangeEvent, undefined> {
  const own = new AbortController();
  const leave = (): void => own.abort(signal?.reason);
  signal?.addEventListener('abort', leave);
  try {
    const { last } = place;
    const headers = { accept: 'text/event-stream', ...(last === undefined ? {} : { 'last-event-id': last }) };
    const asked = { method: 'GET', path: '/api/v1/events', query: { instance }, headers, signal: own.signal } as const;
    const reader = await transport.stream(asked);
    onConnection?.(undefined);
    for await (const { id, data } of blocksOf(reader, transport.baseUrl, silenceMs)) {
      const change = data === undefined ? undefined : changeOf(data, transport.baseUrl);
      if (change) yield change;
      // Only now: a reader that breaks off before is given the change again.
      place.last = id ?? place.last;
    }
  } finally {
    signal?.removeEventListener('abort', leave);
    own.abort();
  }
}

/** The events of a stream; one that says nothing for so long is taken for dead. */
export async function* blocksOf(reader: BodyReader, url: string, silenceMs: number): AsyncGenerator<EventBlock, void> {
  const decoder = new TextDecoder();
  const take = eventBlocks();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  try {
    for (;;) {
      const timer = setTimeout(stop, silenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      yield* take(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    throw networkProblem(error, url);
  } finally {
    stop();
  }
}

const types: ReadonlySet<unknown> = new Set<ChangeEvent['type']>(['run', 'instance', 'scenario', 'gone']);

/** Undefined for a kind of change that only a newer control plane knows. */
function changeOf(data: string, url: string): ChangeEvent | undefined {
  const value = parsedJson(data);
  if (value === undefined) throw unexpected(url, 'an event is no JSON');
  return isChange(value) ? value : undefined;
}

function isChange(value: unknown): value is ChangeEvent {
  return isObject(value) && typeof value.seq === 'number' && types.has(value.type);
}
