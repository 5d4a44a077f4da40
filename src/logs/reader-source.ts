/** A log as the log reader tells it, over its unix socket. */
import { type IncomingMessage, request } from 'node:http';
import type { Clock } from '../environment/clock.ts';
import { LineSplitter } from './line-splitter.ts';
import { LineWatches } from './line-watches.ts';
import type { LogSource, LogTrouble } from './log-source.ts';
import { lineOf, messageLimitBytes, readerBeatMs, resumeWindowMs, stateOf, stateStart } from './reader-messages.ts';
import { Standing } from './standing.ts';
import { systemReason, troubleOf } from './trouble.ts';

/** `services`: of the compose project; all unless given. */
export type ReaderSourceOptions = {
  readonly socketPath: string;
  readonly services?: readonly string[];
  readonly clock: Clock;
};

const firstDelayMs = 100;
const longestDelayMs = 5000;
const silenceMs = 3 * readerBeatMs;
/** What was written so long before the connection was lost is told once more; nothing is shown twice. */
const overlapMs = 10_000;

/**
 * Connects, and connects again with growing pauses whenever the connection ends. Lines that were written meanwhile are told
 * then: a log reader that crashes and is started again costs a run no line.
 */
export function readerSource(options: ReaderSourceOptions): LogSource {
  const { clock } = options;
  const watches = new LineWatches({
    clock,
    form: { limitBytes: messageLimitBytes, needleOf: (text) => JSON.stringify(text).slice(1, -1), read: lineOf },
    torn: () => [],
  });
  const standing = new Standing(clock, unreachable(options, 'not connected yet'));
  const closing = new AbortController();
  const going = goOn(options, { watches, standing, signal: closing.signal, heardMs: undefined });
  return {
    trouble: () => standing.trouble,
    ready: (timeoutMs) => standing.ready(timeoutMs),
    watch: (text) => watches.begin(text),
    async close() {
      closing.abort();
      await going;
    },
  };
}

type Parts = {
  readonly watches: LineWatches;
  readonly standing: Standing;
  readonly signal: AbortSignal;
  /** When the log reader was heard last, by the wall clock; undefined before the first time. */
  heardMs: number | undefined;
};

function unreachable({ socketPath }: ReaderSourceOptions, reason: string): LogTrouble {
  return troubleOf('LOG_READER_UNREACHABLE', { socket: socketPath, reason });
}

async function goOn(options: ReaderSourceOptions, parts: Parts): Promise<void> {
  const { clock } = options;
  const { signal, standing } = parts;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      await listenOnce(options, parts, () => {
        delayMs = firstDelayMs;
      });
      standing.set(unreachable(options, 'it ended the connection'));
    } catch (error) {
      standing.set(unreachable(options, systemReason(error)));
    }
    await clock.sleep(delayMs, signal).catch(() => undefined);
    delayMs = Math.min(2 * delayMs, longestDelayMs);
  }
}

/** Resolves when the log reader ends the answer. Rejects with why it was not heard. */
async function listenOnce(options: ReaderSourceOptions, parts: Parts, heard: () => void): Promise<void> {
  const { clock } = options;
  const silent = new AbortController();
  const close = (): void => silent.abort();
  const tooLong = (): void => silent.abort(new Error(`silent for ${silenceMs / 1000} s`));
  parts.signal.addEventListener('abort', close);
  let cancel = clock.after(silenceMs, tooLong);
  try {
    const answer = await ask(options, resumedFrom(options, parts), silent.signal);
    const splitter = new LineSplitter(messageLimitBytes);
    for await (const chunk of answer) {
      cancel();
      cancel = clock.after(silenceMs, tooLong);
      heard();
      parts.heardMs = clock.nowMs();
      splitter.push(chunk, (block) => show(block, parts));
    }
  } catch (error) {
    throw silent.signal.aborted ? silent.signal.reason : error;
  } finally {
    cancel();
    parts.signal.removeEventListener('abort', close);
  }
}

/** From where the log reader is to go on; undefined for its present end. */
function resumedFrom({ clock }: ReaderSourceOptions, { heardMs }: Parts): number | undefined {
  return heardMs === undefined ? undefined : Math.max(heardMs - overlapMs, clock.nowMs() - resumeWindowMs);
}

function ask(
  { socketPath, services = [] }: ReaderSourceOptions,
  afterMs: number | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const query = new URLSearchParams(services.map((service) => ['service', service]));
  if (afterMs !== undefined) query.set('after', String(Math.round(afterMs)));
  const path = query.size > 0 ? `/v1/tail?${query}` : '/v1/tail';
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, agent: false, signal, headers: { host: 'localhost' } }, (answer) => {
      if (answer.statusCode === 200) return resolve(answer);
      answer.destroy();
      reject(new Error(`it answers with status ${answer.statusCode}`));
    });
    asked.once('error', reject).end();
  });
}

/** Lines that come with good news are shown first: who is told to be ready may look at once. */
function show(block: Buffer, { watches, standing }: Parts): void {
  watches.take(block);
  for (let at = block.indexOf(stateStart); at !== -1; at = block.indexOf(stateStart, at + 1)) {
    const state = stateOf(block.subarray(at, block.indexOf(10, at)).toString('utf8'));
    if (state) standing.set(state.trouble ?? undefined);
  }
}
