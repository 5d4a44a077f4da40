/**
 * Reads changes once for all streams at the same position: two hundred open pages must not cost two hundred times the
 * reading and serializing. Streams send at common times (see event-feed.ts), so their positions coincide.
 */
import type { ChangeFeed } from '../../control/control.ts';
import { formatJsonEvent } from '../../streams/event-stream.ts';

/** `count` changes as text of the stream, and the position after them. */
export type ChangeBatch = { readonly text: string; readonly count: number; readonly seq: number };

export type SharedReads = {
  readSince(seq: number, instance: string | undefined, batch: number): Promise<ChangeBatch>;
};

/** Reads are shared until the next commit, so that no stream misses a change. */
export function createSharedReads(changes: Pick<ChangeFeed, 'list' | 'onCommit'>): SharedReads {
  const reads = new Map<string, Promise<ChangeBatch>>();
  changes.onCommit(() => reads.clear());
  const read = async (seq: number, instance: string | undefined, batch: number): Promise<ChangeBatch> => {
    const { events, seq: lastSeq } = await changes.list(seq, instance, batch);
    const text = events.map((event) => formatJsonEvent({ id: event.seq, type: event.type, data: event })).join('');
    return { text, count: events.length, seq: lastSeq };
  };
  return {
    readSince(seq, instance, batch) {
      const key = JSON.stringify([seq, instance, batch]);
      const cachedRead = reads.get(key);
      if (cachedRead) return cachedRead;
      const pendingRead = read(seq, instance, batch);
      reads.set(key, pendingRead);
      // A failed read is not cached.
      pendingRead.catch(() => reads.get(key) === pendingRead && reads.delete(key));
      return pendingRead;
    },
  };
}
