import t from 'tap';
import { observeWrites } from '../../src/control/write-health.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import type { Database } from '../../src/store/database.ts';
import { fakeClock } from '../environment/fake-clock.ts';

/** A store on a database, whose writes fail while `isFull`. */
function createStore() {
  const state = { isFull: false, writes: 0 };
  const perform = async <T>(value: T): Promise<T> => {
    state.writes += 1;
    if (state.isFull) throw vpError('STORE_DISK_FULL', { file: 'control.db' });
    return value;
  };
  const database = {
    file: 'control.db',
    write: () => perform(undefined),
    writeAndRead: () => perform({ value: undefined, read: async () => undefined }),
  } as unknown as Database;
  const getState = () => ({ engine: 'postgres' }) as never;
  return { state, store: { database, getState } };
}

t.test('each kind of write says whether the store can be written, and how long it took', async (t) => {
  const kinds: Record<string, (database: Database) => Promise<unknown>> = {
    write: (database) => database.write(() => undefined),
    writeAndRead: (database) =>
      database.writeAndRead(
        () => undefined,
        () => undefined,
      ),
  };
  for (const [kind, write] of Object.entries(kinds)) {
    const { state, store } = createStore();
    const observed = observeWrites(store, fakeClock());
    const durations: number[] = [];
    observed.onWritten((durationMs) => durations.push(durationMs));
    await write(observed.database);
    t.equal(durations.length, 1, kind);
    await observed.assertWritable();
    t.equal(state.writes, 1, 'a store whose writes succeed is not tried');
    state.isFull = true;
    await t.rejects(write(observed.database), { code: 'STORE_DISK_FULL' });
    await t.rejects(observed.assertWritable(), { code: 'STORE_DISK_FULL' }, kind);
    state.isFull = false;
    await observed.assertWritable();
    t.equal(durations.length, 1, 'those that failed have no time');
  }
});
