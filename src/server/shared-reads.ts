/**
 * What has changed, read once for all the streams that stand at the same place: two hundred open pages must not cost two
 * hundred times the reading and the writing of JSON. Streams send at common moments (see event-feed.ts), and so meet.
 */
import type { Changes } from '../control/control.ts';
import { eventText } from '../http/event-stream.ts';

/** What to send: `count` changes as the text of a stream, and the place behind them. */
export type ReadChanges = { readonly text: string; readonly count: number; readonly seq: number };

/** Reads changes. */
export type SharedReads = {
  since(seq: number, instance: string | undefined, batch: number): Promise<ReadChanges>;
};

/** Reads of `changes`, shared until the next commit: nobody is given less than there is. */
export function sharedReads(changes: Pick<Changes, 'since' | 'onCommit'>): SharedReads {
  const reads = new Map<string, Promise<ReadChanges>>();
  changes.onCommit(() => reads.clear());
  const read = async (seq: number, instance: string | undefined, batch: number): Promise<ReadChanges> => {
    const { events, seq: reached } = await changes.since(seq, instance, batch);
    const text = events.map((event) => eventText({ id: event.seq, type: event.type, data: event })).join('');
    return { text, count: events.length, seq: reached };
  };
  return {
    since(seq, instance, batch) {
      const key = JSON.stringify([seq, instance, batch]);
      const known = reads.get(key);
      if (known) return known;
      const made = read(seq, instance, batch);
      reads.set(key, made);
      // A store that failed once may answer the next time.
      made.catch(() => reads.get(key) === made && reads.delete(key));
      return made;
    },
  };
}
