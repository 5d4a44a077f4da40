import { Type } from '@sinclair/typebox';
import t from 'tap';
import { createRowInserter, formatColumns } from '../../src/store/row-writer.ts';
import type { Sql, SqlValue } from '../../src/store/sql.ts';

const shape = Type.Object({ id: Type.Integer(), name: Type.Union([Type.String(), Type.Null()]) });

t.test('a row is inserted with the columns of its schema, whatever the order of its members', async (t) => {
  const statements: (readonly [string, ...SqlValue[]])[] = [];
  const sql: Sql = Object.assign(Object.create(null), {
    execute: (text: string, ...values: readonly SqlValue[]) => statements.push([text, ...values]),
  });
  const insert = createRowInserter('people', shape);
  insert(sql, { name: null, id: 7 });
  t.same(statements, [['INSERT INTO people (id, name) VALUES (?, ?)', 7, null]]);
  const withoutName: { id: number; name: string } = Object.assign({ id: 8 });
  t.throws(() => insert(sql, withoutName), { code: 'INTERNAL', detail: 'a row of people has no name' });
  t.equal(statements.length, 1);
  t.equal(formatColumns(shape), 'id, name');
});
