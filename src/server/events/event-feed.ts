/** Changes of the control plane as text of an event stream. */
import type { ChangeFeed } from '../../control/control.ts';
import type { Clock } from '../../environment/clock.ts';
import { formatJsonEvent, heartbeatComment } from '../../streams/event-stream.ts';
import { Latch } from '../../timing/latch.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { SharedReads } from './shared-reads.ts';

/** Times in milliseconds. */
export type EventStreamSettings = {
  /** Shortest time between two sends; changes in between are merged. */
  readonly minGapMs: number;
  /** A heartbeat is sent after this time without changes. */
  readonly heartbeatMs: number;
  /** Most changes per send; more follow in the next. */
  readonly batch: number;
  /** Open streams of this process. */
  readonly maxStreams: number;
};

/** At most four sends per second, a heartbeat every 15 s. */
export const defaultEventStreamSettings: EventStreamSettings = {
  minGapMs: 250,
  heartbeatMs: 15_000,
  batch: 500,
  maxStreams: 200,
};

/** `isAllowed` is checked at each heartbeat; false ends the feed. */
export type EventFeedOptions = {
  readonly changes: Pick<ChangeFeed, 'head' | 'onCommit'>;
  readonly reads: SharedReads;
  readonly clock: Clock;
  readonly settings: EventStreamSettings;
  readonly instance: string | undefined;
  /** Undefined starts with the next change. */
  readonly sinceSeq: number | undefined;
  readonly isAllowed: () => Promise<boolean>;
};

/**
 * Yields the texts to send, until `signal` is aborted or the reader is no longer allowed. The first text has the current
 * position, so that a stream that breaks before its first change resumes without a gap.
 */
export async function* createEventFeed(options: EventFeedOptions, signal: AbortSignal): AsyncGenerator<string, void> {
  const { changes, reads, clock, settings, instance } = options;
  const commitLatch = new Latch(clock);
  const stopListening = changes.onCommit(() => commitLatch.set());
  let checkedMs = clock.monotonicMs();
  // Also checked under constant changes, so that a revoked credential stops reading.
  const isStillAllowed = async (hasChanged: boolean): Promise<boolean> => {
    if (hasChanged && clock.monotonicMs() - checkedMs < settings.heartbeatMs) return true;
    checkedMs = clock.monotonicMs();
    return options.isAllowed();
  };
  try {
    // The credential may have been revoked since the request was authenticated.
    if (!(await options.isAllowed())) return;
    let seq = await resolveStartSeq(options);
    yield `retry: 2000\n${formatJsonEvent({ id: seq })}`;
    let hasMore = true;
    while (!signal.aborted) {
      const hasChanged = hasMore || (await commitLatch.wait(settings.heartbeatMs, signal));
      if (signal.aborted || !(await isStillAllowed(hasChanged))) return;
      commitLatch.reset();
      const { text, count, seq: lastSeq } = await reads.readSince(seq, instance, settings.batch);
      hasMore = count >= settings.batch;
      seq = lastSeq;
      if (count > 0) yield text;
      else if (!hasChanged) yield `${heartbeatComment}${formatJsonEvent({ id: seq })}`;
      if (hasChanged) await pauseUntilAborted(clock, computeGapMs(settings.minGapMs, clock), signal);
    }
  } finally {
    stopListening();
  }
}

/** About `minGapMs`, until a time that all streams share: streams that send together share reads (see shared-reads.ts). */
function computeGapMs(minGapMs: number, { monotonicMs }: Pick<Clock, 'monotonicMs'>): number {
  const nowMs = monotonicMs();
  return Math.round(nowMs / minGapMs + 1) * minGapMs - nowMs;
}

/** A position beyond the head (from before a restored backup) would wait forever, so it is limited to the head. */
async function resolveStartSeq({ changes, sinceSeq }: EventFeedOptions): Promise<number> {
  const head = await changes.head();
  return Math.min(sinceSeq ?? head, head);
}
