/** The position of the journal after changes that were undone, and after changes of another process. */
import { join } from 'node:path';
import t from 'tap';
import { createOutbox } from '../../../src/executor/outbox/outbox.ts';
import type { Database } from '../../../src/store/database.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { outboxStoreKind } from '../../../src/store/outbox/outbox-schema.ts';
import { writeOutboxMeta } from '../../../src/store/outbox/outbox-store.ts';

const start = (index: number) => ({ runId: `20261120T14301234${index}`, fence: index, startedAtMs: index });

t.test('a change that is undone advances nothing; the next one continues from what is stored', async (t) => {
  const database = openDatabase({ file: join(t.testdir(), 'executor.db'), createKind: outboxStoreKind });
  t.teardown(() => database.close());
  let isUndone = false;
  const write: Database['write'] = (operation) =>
    database.write((sql) => {
      const value = operation(sql);
      if (isUndone) throw new Error('undone');
      return value;
    });
  const outbox = createOutbox({ ...database, write });
  await outbox.start(start(1), undefined);
  t.match(outbox.position(), { seq: 1, fence: 1 });
  await outbox.withdraw(start(1).runId);
  isUndone = true;
  await t.rejects(outbox.start(start(2), undefined), { message: 'undone' });
  t.match(outbox.position(), { seq: 2, fence: 1 });
  isUndone = false;
  await outbox.start(start(3), undefined);
  t.match(outbox.position(), { seq: 3, fence: 3 });
  const later = { ...outbox.position(), seq: 40, fence: 9 };
  await database.write((sql) => writeOutboxMeta(sql, 'position', JSON.stringify(later)));
  await outbox.withdraw(start(3).runId);
  t.match(outbox.position(), { seq: 41, fence: 9 }, 'what somebody else has stored counts');
});
