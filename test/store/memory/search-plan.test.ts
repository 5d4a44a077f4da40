/** A search looks into the full-text index once: read after the memories, it is searched again for each of them. */
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { openDatabase } from '../../../src/store/engine.ts';
import { searchMemories } from '../../../src/store/memory/memories.ts';
import { memoryStoreKind } from '../../../src/store/memory/memory-schema.ts';
import { createRowReader } from '../../../src/store/row-reader.ts';
import type { Sql } from '../../../src/store/sql.ts';

const planReader = createRowReader(Type.Object({ detail: Type.String() }));
const anyTime = { tags: [], sinceMs: 0, untilMs: Number.MAX_SAFE_INTEGER };

t.test('whatever the filter, a search reads the full-text index first and sorts nothing', async (t) => {
  const database = openDatabase({ file: join(t.testdir(), 'memory.db'), createKind: memoryStoreKind });
  t.teardown(() => database.close());
  await database.read((sql) => {
    const all: Sql['all'] = (text, ...values) => {
      const [first, second, ...others] = planReader.all(sql, `EXPLAIN QUERY PLAN ${text}`, ...values);
      t.match(first?.detail, /^SCAN memories_text VIRTUAL TABLE INDEX \d+:M/);
      t.equal(second?.detail, 'SEARCH m USING INTEGER PRIMARY KEY (rowid=?)');
      t.same(others, []);
      return sql.all(text, ...values);
    };
    for (const range of [anyTime, { ...anyTime, tags: ['a', 'b'] }, { ...anyTime, before: { atMs: 5, key: 'k' } }])
      for (const words of [['door'], ['a', 'door', 'window']])
        t.same(searchMemories({ ...sql, all }, 1, words, range, 1000), []);
  });
});
