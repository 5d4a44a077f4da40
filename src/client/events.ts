/** Changes of the control plane as an endless iteration that reconnects by itself. */

import type { ChangeEvent } from '../contract/api.ts';
import type { VpError } from '../errors/vp-error.ts';
import { isObject, tryParseJson } from '../json/json-object.ts';
import { type BackoffRange, calculateBackoffMs } from '../timing/backoff.ts';
import { createEventStreamParser, type ServerSentEvent } from './transport/event-stream-parser.ts';
import type { BodyReader } from './transport/fetch-response.ts';
import { createUnexpectedResponseError } from './transport/json-response.ts';
import { createNetworkError } from './transport/network-error.ts';
import { type Pause, runtimeTimers } from './transport/pause.ts';
import { isTransientError } from './transport/transient-error.ts';
import type { Transport } from './transport/transport.ts';

export type EventsOptions = {
  readonly instance?: string | undefined;
  /** Starts after this number; by default with the next change. */
  readonly sinceSeq?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called when the connection state changes: undefined when connected, else the error. */
  readonly onConnection?: (problem: VpError | undefined) => void;
  /** A stream without data for this long is treated as broken; heartbeats arrive every 15 s. */
  readonly silenceMs?: number;
};

const backoff: BackoffRange = { initialMs: 250, maxMs: 10_000 };

/**
 * Yields each change once, in order, across reconnections. Ends when the signal is aborted; throws errors that a retry
 * cannot fix (a refused credential, an unknown instance).
 */
export async function* streamEvents(
  { transport, pause }: EventsDependencies,
  { instance, sinceSeq, signal, onConnection, silenceMs = 45_000 }: EventsOptions = {},
): AsyncGenerator<ChangeEvent, undefined> {
  const position: StreamPosition = { lastEventId: sinceSeq === undefined ? undefined : String(sinceSeq) };
  for (let failures = 0; !signal?.aborted; failures += 1) {
    try {
      for await (const change of readConnection(transport, { instance, signal, silenceMs, onConnection }, position)) {
        failures = 0;
        yield change;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (!isTransientError(error)) throw error;
      onConnection?.(error);
    }
    await pause(calculateBackoffMs(backoff, failures), signal);
  }
}

type EventsDependencies = { readonly transport: Transport; readonly pause: Pause };
/** The next connection resumes after `lastEventId`. */
type StreamPosition = { lastEventId: string | undefined };
type ConnectionOptions = Omit<EventsOptions, 'sinceSeq'> & { readonly silenceMs: number };

/** The changes of one connection. */
async function* readConnection(
  transport: Transport,
  { instance, signal, silenceMs, onConnection }: ConnectionOptions,
  position: StreamPosition,
): AsyncGenerator<ChangeEvent, undefined> {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  try {
    const { lastEventId } = position;
    const headers = {
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    const request = {
      method: 'GET',
      path: '/api/v1/events',
      query: { instance },
      headers,
      signal: controller.signal,
    } as const;
    const reader = await transport.stream(request);
    onConnection?.(undefined);
    for await (const { id, data } of readServerSentEvents(reader, transport.baseUrl, silenceMs)) {
      const change = data === undefined ? undefined : parseChange(data, transport.baseUrl);
      if (change) yield change;
      // Updated after the yield: a consumer that stops before gets the change again.
      position.lastEventId = id ?? position.lastEventId;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    controller.abort();
  }
}

/** The events of a stream; it is cancelled after `silenceMs` without data. */
export async function* readServerSentEvents(
  reader: BodyReader,
  url: string,
  silenceMs: number,
): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  const parse = createEventStreamParser();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  try {
    for (;;) {
      const cancelStop = runtimeTimers.after(silenceMs, stop);
      const { done, value } = await reader.read().finally(cancelStop);
      if (done) return;
      yield* parse(decoder.decode(value, { stream: true }));
    }
  } catch (error) {
    throw createNetworkError(error, url);
  } finally {
    stop();
  }
}

const changeTypes: ReadonlySet<unknown> = new Set<ChangeEvent['type']>(['run', 'instance', 'scenario', 'gone']);

/** Undefined for a type of change that only newer control planes know. */
function parseChange(data: string, url: string): ChangeEvent | undefined {
  const value = tryParseJson(data);
  if (value === undefined) throw createUnexpectedResponseError(url, 'an event is not JSON');
  return isChange(value) ? value : undefined;
}

function isChange(value: unknown): value is ChangeEvent {
  return isObject(value) && typeof value.seq === 'number' && changeTypes.has(value.type);
}
