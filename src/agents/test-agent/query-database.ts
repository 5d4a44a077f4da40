import { Type } from '@sinclair/typebox';
import { stringForm } from '../../check/bounded.ts';
import type { Json } from '../../check/observed.ts';
import { vpError } from '../../errors/vp-error.ts';
import { counted, cut, fitting } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { readOnly, tool } from '../tool.ts';

const usualRows = 20;
const most = { cell: 500, all: 10_000 } as const;

/** One reading statement. */
export const queryDatabase = tool({
  name: 'author__query_database',
  description: 'One SELECT on the public schema, read-only and bounded. The next rows by LIMIT and OFFSET.',
  input: Type.Object({ sql: Type.String(), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }),
  annotations: readOnly,
  async handle({ sql, limit = usualRows }, { database }, { signal }) {
    if (!database) throw vpError('AGENT_DATABASE_ABSENT', {});
    const answer = await database.query(sql, limit, signal);
    if (answer.kind === 'unavailable') throw vpError('AGENT_QUERY_REFUSED', answer);
    const { columns, rowCount, more } = answer;
    const rows = fitting(
      answer.rows.slice(0, limit).map((row) => row.map(cellOf)),
      most.all,
    );
    const left = more || rows.length < rowCount;
    const text = linesOf(
      `${counted(rows.length, 'row')}${left ? ', and there are more: use LIMIT and OFFSET, or select less' : ''}`,
      columns.join(' | '),
      ...rows.map((row) => row.map((cell) => cell ?? 'NULL').join(' | ')),
    );
    return { text, data: { columns, rows, row_count: rows.length, more: left } };
  },
});

function cellOf(value: Json): string | null {
  return value === null ? null : cut(stringForm(value), most.cell);
}
