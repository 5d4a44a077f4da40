/** The changes of a control plane as texts of an event stream. */
import type { Changes } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import { eventText, heartbeatText } from '../http/event-stream.ts';
import { latch } from './latch.ts';
import type { SharedReads } from './shared-reads.ts';

/** How an event stream behaves; times in milliseconds. */
export type EventSettings = {
  /** Between two sends; what changes meanwhile is merged. */
  readonly minGapMs: number;
  /** Silence is never longer. */
  readonly heartbeatMs: number;
  /** Things told in one send; more follow in the next. */
  readonly batch: number;
  /** Streams open at once in this process. */
  readonly maxStreams: number;
};

/** At most four sends a second, a heartbeat every 15 s. */
export const defaultEvents: EventSettings = { minGapMs: 250, heartbeatMs: 15_000, batch: 500, maxStreams: 200 };

/** What a feed needs. `allowed` is asked at each heartbeat: false ends the feed. */
export type FeedOptions = {
  readonly changes: Pick<Changes, 'head' | 'onCommit'>;
  readonly reads: SharedReads;
  readonly clock: Clock;
  readonly settings: EventSettings;
  readonly instance: string | undefined;
  /** Undefined begins with now. */
  readonly sinceSeq: number | undefined;
  readonly allowed: () => Promise<boolean>;
};

/**
 * Yields what is to be sent, until `signal` is aborted or the reader is not allowed any more. The first text says where
 * the reader stands, so that a stream that breaks before its first change resumes without a gap.
 */
export async function* eventFeed(options: FeedOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const { changes, reads, clock, settings, instance } = options;
  const commits = latch(changes.onCommit, clock);
  let askedMs = clock.monotonicMs();
  // Also where changes never cease: a credential that ended must not read on.
  const mayGoOn = async (changed: boolean): Promise<boolean> => {
    if (changed && clock.monotonicMs() - askedMs < settings.heartbeatMs) return true;
    askedMs = clock.monotonicMs();
    return options.allowed();
  };
  try {
    let seq = await startOf(options);
    yield `retry: 2000\n${eventText({ id: seq })}`;
    let more = true;
    while (!signal.aborted) {
      const changed = more || (await commits.wait(settings.heartbeatMs, signal));
      if (signal.aborted || !(await mayGoOn(changed))) return;
      commits.reset();
      const { text, count, seq: reached } = await reads.since(seq, instance, settings.batch);
      more = count >= settings.batch;
      seq = reached;
      if (count > 0) yield text;
      else if (!changed) yield `${heartbeatText}${eventText({ id: seq })}`;
      if (changed) await clock.sleep(gapMs(settings.minGapMs, clock), signal).catch(() => undefined);
    }
  } finally {
    commits.stop();
  }
}

/** About `minGapMs`, up to a moment that all streams share: who sends together reads together (see shared-reads.ts). */
function gapMs(minGapMs: number, { monotonicMs }: Pick<Clock, 'monotonicMs'>): number {
  const nowMs = monotonicMs();
  return Math.round(nowMs / minGapMs + 1) * minGapMs - nowMs;
}

/** A number from another life of the store (a restored backup) would wait for ever: it begins with now. */
async function startOf({ changes, sinceSeq }: FeedOptions): Promise<number> {
  const head = await changes.head();
  return Math.min(sinceSeq ?? head, head);
}
