/** A log read from the log reader over its unix socket. */

import { type IncomingMessage, request } from 'node:http';
import type { Clock } from '../../environment/clock.ts';
import { calculateBackoffMs } from '../../timing/backoff.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import { LineSplitter } from '../lines/line-splitter.ts';
import { LineWatches } from '../lines/line-watches.ts';
import type { LogSource, LogUnavailable } from '../log-source.ts';
import { createLogUnavailable, describeSystemError } from '../log-unavailable.ts';
import {
  maxMessageBytes,
  parseLineMessage,
  parseStateMessage,
  readerHeartbeatMs,
  resumeWindowMs,
  stateMessagePrefix,
} from '../reader/reader-messages.ts';
import { SourceAvailability } from './source-availability.ts';

/** `services`: of the compose project; all by default. */
export type ReaderSourceOptions = {
  readonly socketPath: string;
  readonly services?: readonly string[];
  readonly clock: Clock;
};

const backoff = { initialMs: 100, maxMs: 5000 };
const maxSilenceMs = 3 * readerHeartbeatMs;
/** Lines from this long before the connection was lost are requested again; duplicates are dropped. */
const overlapMs = 10_000;

/**
 * Connects, and reconnects with exponential backoff whenever the connection ends. Lines written in the meantime are
 * sent then: a log reader that crashes and is restarted loses no line of a run.
 */
export function openReaderSource(options: ReaderSourceOptions): LogSource {
  const { clock } = options;
  const watches = new LineWatches({
    clock,
    lineFormat: {
      maxBytes: maxMessageBytes,
      toNeedle: (text) => JSON.stringify(text).slice(1, -1),
      read: parseLineMessage,
    },
    getIncompleteLines: () => [],
  });
  const availability = new SourceAvailability(clock, createUnreachable(options, 'not connected yet'));
  const abortController = new AbortController();
  const connectionLoop = reconnectUntilAborted(options, {
    watches,
    availability,
    signal: abortController.signal,
    lastReceivedMs: undefined,
  });
  return {
    getProblem: () => availability.problem,
    hasGivenLines: () => watches.hasLines,
    ready: (timeoutMs) => availability.ready(timeoutMs),
    watch: (text) => watches.start(text),
    async close() {
      abortController.abort();
      await connectionLoop;
    },
  };
}

type ReaderConnection = {
  readonly watches: LineWatches;
  readonly availability: SourceAvailability;
  readonly signal: AbortSignal;
  /** When data last arrived, by the wall clock; undefined before the first time. */
  lastReceivedMs: number | undefined;
};

function createUnreachable({ socketPath }: ReaderSourceOptions, reason: string): LogUnavailable {
  return createLogUnavailable('LOG_READER_UNREACHABLE', { socket: socketPath, reason });
}

async function reconnectUntilAborted(options: ReaderSourceOptions, connection: ReaderConnection): Promise<void> {
  const { clock } = options;
  const { signal, availability } = connection;
  let failures = 0;
  while (!signal.aborted) {
    try {
      await receiveOnce(options, connection, () => {
        failures = 0;
      });
      availability.set(createUnreachable(options, 'it closed the connection'));
    } catch (error) {
      availability.set(createUnreachable(options, describeSystemError(error)));
    }
    await pauseUntilAborted(clock, calculateBackoffMs(backoff, failures), signal);
    failures += 1;
  }
}

/** Resolves when the log reader ends the response. Rejects with the connection error. */
async function receiveOnce(
  options: ReaderSourceOptions,
  connection: ReaderConnection,
  onReceived: () => void,
): Promise<void> {
  const { clock } = options;
  const silence = new AbortController();
  const close = (): void => silence.abort();
  const abortSilent = (): void => silence.abort(new Error(`silent for ${maxSilenceMs / 1000} s`));
  connection.signal.addEventListener('abort', close);
  let stopTimer = clock.after(maxSilenceMs, abortSilent);
  try {
    const response = await requestTail(options, getResumeMs(options, connection), silence.signal);
    const splitter = new LineSplitter(maxMessageBytes);
    for await (const chunk of response) {
      stopTimer();
      stopTimer = clock.after(maxSilenceMs, abortSilent);
      onReceived();
      connection.lastReceivedMs = clock.nowMs();
      splitter.push(chunk, (block) => handleBlock(block, connection));
    }
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error;
  } finally {
    stopTimer();
    connection.signal.removeEventListener('abort', close);
  }
}

/** The time from which the log reader should resume; undefined for its present end. */
function getResumeMs({ clock }: ReaderSourceOptions, { lastReceivedMs }: ReaderConnection): number | undefined {
  return lastReceivedMs === undefined
    ? undefined
    : Math.max(lastReceivedMs - overlapMs, clock.nowMs() - resumeWindowMs);
}

function requestTail(
  { socketPath, services = [] }: ReaderSourceOptions,
  afterMs: number | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const query = new URLSearchParams(services.map((service) => ['service', service]));
  if (afterMs !== undefined) query.set('after', String(Math.round(afterMs)));
  const path = query.size > 0 ? `/v1/tail?${query}` : '/v1/tail';
  return new Promise((resolve, reject) => {
    const clientRequest = request(
      { socketPath, path, agent: false, signal, headers: { host: 'localhost' } },
      (response) => {
        if (response.statusCode === 200) return resolve(response);
        response.destroy();
        reject(new Error(`it responds with status ${response.statusCode}`));
      },
    );
    clientRequest.once('error', reject).end();
  });
}

/** Lines are processed before the state in the same block: a caller that becomes ready may read them at once. */
function handleBlock(block: Buffer, { watches, availability }: ReaderConnection): void {
  watches.take(block);
  for (
    let index = block.indexOf(stateMessagePrefix);
    index !== -1;
    index = block.indexOf(stateMessagePrefix, index + 1)
  ) {
    const state = parseStateMessage(block.subarray(index, block.indexOf(10, index)).toString('utf8'));
    if (state) availability.set(state.trouble ?? undefined);
  }
}
