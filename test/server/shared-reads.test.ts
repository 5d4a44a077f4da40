import t from 'tap';
import { sharedReads } from '../../src/server/shared-reads.ts';

/** Changes that count how often they are read. */
function counted() {
  const listeners = new Set<() => void>();
  const made = {
    reads: 0,
    seq: 5,
    fails: false,
    async since(sinceSeq: number) {
      made.reads += 1;
      if (made.fails) throw new Error('the disk');
      return { events: [], seq: Math.max(sinceSeq, made.seq) };
    },
    onCommit(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    commit() {
      made.seq += 1;
      for (const listener of listeners) listener();
    },
  };
  return made;
}

t.test('streams at one place read once, and never less than there is', async (t) => {
  const changes = counted();
  const reads = sharedReads(changes);
  const all = await Promise.all(Array.from({ length: 200 }, () => reads.since(3, undefined, 500)));
  t.equal(changes.reads, 1);
  t.ok(all.every(({ seq }) => seq === 5));
  await reads.since(3, 'shop', 500);
  await reads.since(4, undefined, 500);
  t.equal(changes.reads, 3, 'another instance and another place are read by themselves');
  changes.commit();
  t.match(await reads.since(3, undefined, 500), { seq: 6, count: 0, text: '' });
});

t.test('a read that failed is tried anew', async (t) => {
  const changes = counted();
  const reads = sharedReads(changes);
  changes.fails = true;
  await t.rejects(reads.since(1, undefined, 10), /the disk/);
  changes.fails = false;
  t.match(await reads.since(1, undefined, 10), { seq: 5 });
});
