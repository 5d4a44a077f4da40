import { Type } from '@sinclair/typebox';
import { type Json, toStringForm } from '../../check/json/json.ts';
import { vpError } from '../../errors/vp-error.ts';
import { formatQuantity, joinLines, takeWithinLength, truncate } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

const defaultRowLimit = 20;
const limits = { cell: 500, all: 10_000 } as const;

export const queryDatabaseTool = createTool({
  name: 'author__query_database',
  description: 'One SELECT on the public schema, read-only and bounded. Use LIMIT and OFFSET for further rows.',
  input: Type.Object({ sql: Type.String(), limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }),
  annotations: readOnlyAnnotations,
  async handle({ sql, limit = defaultRowLimit }, { database }, { signal }) {
    if (!database) throw vpError('AGENT_DATABASE_ABSENT', {});
    const result = await database.query(sql, limit, signal);
    if (result.kind === 'unavailable') throw vpError('AGENT_QUERY_REFUSED', result);
    const { columns, rowCount, more } = result;
    const rows = takeWithinLength(
      result.rows.slice(0, limit).map((row) => row.map(formatCell)),
      limits.all,
    );
    const hasMore = more || rows.length < rowCount;
    const text = joinLines(
      `${formatQuantity(rows.length, 'row')}${hasMore ? ', and there are more: use LIMIT and OFFSET, or select less' : ''}`,
      columns.join(' | '),
      ...rows.map((row) => row.map((cell) => cell ?? 'NULL').join(' | ')),
    );
    return { text, data: { columns, rows, row_count: rows.length, more: hasMore } };
  },
});

function formatCell(value: Json): string | null {
  return value === null ? null : truncate(toStringForm(value), limits.cell);
}
