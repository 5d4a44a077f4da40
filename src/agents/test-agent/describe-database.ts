import { Type } from '@sinclair/typebox';
import { didYouMean } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import { counted, cut, fitting } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { OffsetInput } from '../input.ts';
import type { AgentTable } from '../ports.ts';
import { readOnly, tool } from '../tool.ts';

const mostData = 10_000;

/** Tables and columns of the public schema. */
export const describeDatabase = tool({
  name: 'author__describe_database',
  description:
    'Tables of the target’s database with columns, keys and sizes; or one table. Then author__query_database.',
  input: Type.Object({ table: Type.Optional(Type.String()), offset: OffsetInput }),
  annotations: readOnly,
  async handle({ table, offset = 0 }, { database }) {
    if (!database) throw vpError('AGENT_DATABASE_ABSENT', {});
    const all = await database.describe();
    const chosen = table === undefined ? all : all.filter(({ name }) => name === table);
    if (table !== undefined && chosen.length === 0) throw unknown(table, all);
    const tables = fitting(chosen.slice(offset).map(tableFacts), mostData);
    const next = offset + tables.length < chosen.length ? offset + tables.length : null;
    const text = linesOf(
      counted(chosen.length, 'table'),
      ...tables.map(tableText),
      next !== null && `There are more: call again with offset ${next}.`,
    );
    return { text, data: { tables, count: chosen.length, next_offset: next } };
  },
});

function unknown(table: string, all: readonly AgentTable[]) {
  const names = all.map(({ name }) => name);
  const hint = didYouMean(table, names);
  return vpError('AGENT_TABLE_UNKNOWN', {
    table: cut(table, 100),
    hint: hint === '' ? '' : `: ${hint.trim()}`,
    known: cut(names.join(', '), 1000),
  });
}

function tableFacts({ name, kind, readable, columns, primaryKey, references, approximateRows }: AgentTable) {
  return {
    name,
    kind,
    readable,
    columns: columns
      .slice(0, 200)
      .map(({ name: column, type, nullable }) => `${column} ${type}${nullable ? '' : ' NOT NULL'}`),
    primary_key: primaryKey,
    references: references.map(({ columns: from, table }) => `(${from.join(', ')}) → ${table}`),
    approximate_rows: approximateRows ?? null,
  };
}

function tableText({
  name,
  kind,
  readable,
  columns,
  primary_key,
  references,
  approximate_rows,
}: ReturnType<typeof tableFacts>) {
  const facts = [
    ...(approximate_rows === null ? [] : [`about ${approximate_rows} rows`]),
    ...(primary_key.length > 0 ? [`key (${primary_key.join(', ')})`] : []),
    ...references,
    ...(readable ? [] : ['the read-only user may not read it: a person grants SELECT']),
  ];
  return `${kind} ${name}: ${columns.join(', ')}${facts.length > 0 ? `; ${facts.join('; ')}` : ''}`;
}
