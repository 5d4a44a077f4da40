import t from 'tap';
import { createSharedReads } from '../../../src/server/events/shared-reads.ts';

/** Changes that count how often they are read. */
function createCountingFeed() {
  const listeners = new Set<() => void>();
  const feed = {
    reads: 0,
    seq: 5,
    fails: false,
    async list(sinceSeq: number) {
      feed.reads += 1;
      if (feed.fails) throw new Error('the disk');
      return { events: [], seq: Math.max(sinceSeq, feed.seq) };
    },
    onCommit(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    commit() {
      feed.seq += 1;
      for (const listener of listeners) listener();
    },
  };
  return feed;
}

t.test('streams at one position share a read, and never miss a change', async (t) => {
  const changes = createCountingFeed();
  const reads = createSharedReads(changes);
  const all = await Promise.all(Array.from({ length: 200 }, () => reads.readSince(3, undefined, 500)));
  t.equal(changes.reads, 1);
  t.ok(all.every(({ seq }) => seq === 5));
  await reads.readSince(3, 'shop', 500);
  await reads.readSince(4, undefined, 500);
  t.equal(changes.reads, 3, 'another instance and another position are read by themselves');
  changes.commit();
  t.match(await reads.readSince(3, undefined, 500), { seq: 6, count: 0, text: '' });
});

t.test('a failed read is retried', async (t) => {
  const changes = createCountingFeed();
  const reads = createSharedReads(changes);
  changes.fails = true;
  await t.rejects(reads.readSince(1, undefined, 10), /the disk/);
  changes.fails = false;
  t.match(await reads.readSince(1, undefined, 10), { seq: 5 });
});
