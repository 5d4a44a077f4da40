import { Type } from '@sinclair/typebox';
import { formatSuggestion } from '../../errors/suggestion.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { AgentTable } from '../ports.ts';
import { OffsetInput } from '../tools/input-schemas.ts';
import { formatQuantity, joinLines, takeWithinLength, truncate } from '../tools/result-text.ts';
import { createTool, readOnlyAnnotations } from '../tools/tool.ts';

const maxTablesLength = 10_000;

export const describeDatabaseTool = createTool({
  name: 'author__describe_database',
  description:
    'Tables of the target’s database with columns, keys and sizes; or one table. Then author__query_database.',
  input: Type.Object({ table: Type.Optional(Type.String()), offset: OffsetInput }),
  annotations: readOnlyAnnotations,
  async handle({ table, offset = 0 }, { database }) {
    if (!database) throw vpError('AGENT_DATABASE_ABSENT', {});
    const all = await database.describe();
    const selectedTables = table === undefined ? all : all.filter(({ name }) => name === table);
    if (table !== undefined && selectedTables.length === 0) throw createUnknownTableError(table, all);
    const tables = takeWithinLength(selectedTables.slice(offset).map(toTableEntry), maxTablesLength);
    const next = offset + tables.length < selectedTables.length ? offset + tables.length : null;
    const text = joinLines(
      formatQuantity(selectedTables.length, 'table'),
      ...tables.map(formatTable),
      next !== null && `There are more: call again with offset ${next}.`,
    );
    return { text, data: { tables, count: selectedTables.length, next_offset: next } };
  },
});

function createUnknownTableError(table: string, all: readonly AgentTable[]) {
  const names = all.map(({ name }) => name);
  const hint = formatSuggestion(table, names);
  return vpError('AGENT_TABLE_UNKNOWN', {
    table: truncate(table, 100),
    hint: hint === '' ? '' : `: ${hint.trim()}`,
    known: truncate(names.join(', '), 1000),
  });
}

function toTableEntry({ name, kind, readable, columns, primaryKey, references, approximateRows }: AgentTable) {
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

function formatTable({
  name,
  kind,
  readable,
  columns,
  primary_key,
  references,
  approximate_rows,
}: ReturnType<typeof toTableEntry>) {
  const facts = [
    ...(approximate_rows === null ? [] : [`about ${approximate_rows} rows`]),
    ...(primary_key.length > 0 ? [`key (${primary_key.join(', ')})`] : []),
    ...references,
    ...(readable ? [] : ['not readable by the read-only user: ask a person to grant SELECT']),
  ];
  return `${kind} ${name}: ${columns.join(', ')}${facts.length > 0 ? `; ${facts.join('; ')}` : ''}`;
}
