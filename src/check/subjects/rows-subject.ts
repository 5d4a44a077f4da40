/** The rows of a query, or a column of them, as the subject of checks, and the other rows that it is tried with. */
import type { QueryRows } from '../forms/database-form.ts';
import type { Json } from '../json/json.ts';
import type { Observation } from '../observation.ts';
import { concealScalar, mutateValue } from './mutate-value.ts';
import { type Mutation, type Subject, toPresenceMutation } from './subject.ts';

/** `name`: undefined for the only query. Without `column`: the number of rows. */
export function createRowsSubject(
  { database }: Observation,
  name: string | undefined,
  column?: string,
): Subject | undefined {
  const query = name ?? database?.keys().next().value;
  const rows = query === undefined ? undefined : database?.get(query);
  if (query === undefined || rows?.kind !== 'rows') return undefined;
  const group = `database/${query}`;
  if (column === undefined) return { id: group, group, mutations: () => mutateRowCount(query, rows) };
  return {
    id: `${group}/${column}`,
    group,
    mutations: ({ observation }) => [
      ...mutateColumn(query, rows, column, observation),
      ...mutateRowCount(query, rows).map(toPresenceMutation),
    ],
  };
}

function mutateRowCount(query: string, rows: QueryRows): Mutation[] {
  const { columns, rows: values, rowCount } = rows;
  const added = values.at(-1) ?? columns.map(() => null);
  const name = `query \`${query}\``;
  const mutations = [
    createMutation(`${name} gives one row more`, query, rows, { rows: [...values, added], rowCount: rowCount + 1 }),
  ];
  if (rowCount > 0) mutations.push(createMutation(`${name} gives no row`, query, rows, { rows: [], rowCount: 0 }));
  if (rowCount > 1) {
    const fewer = { rows: values.slice(0, -1), rowCount: rowCount - 1 };
    mutations.push(createMutation(`${name} gives one row less`, query, rows, fewer));
  }
  return mutations;
}

/** Changes the column in the first row, which every check of a column reads. */
function mutateColumn(query: string, rows: QueryRows, column: string, observation: Observation): Mutation[] {
  const index = rows.columns.indexOf(column);
  const [first, ...others] = rows.rows;
  const value = first?.[index];
  if (!first || value === undefined) return [];
  const withValue = (next: Json): Partial<QueryRows> => ({ rows: [first.with(index, next), ...others] });
  const withoutColumn = { columns: rows.columns.map((name) => (name === column ? '' : name)) };
  return [
    createMutation(`column \`${column}\` is gone`, query, rows, withoutColumn, 'presence'),
    ...mutateValue(concealScalar(value, observation)).map(({ description, create }) => {
      const affects = create() === null ? 'presence' : 'content'; // For checks of a column null is no value.
      return createMutation(`column \`${column}\` ${description}`, query, rows, () => withValue(create()), affects);
    }),
  ];
}

function createMutation(
  description: string,
  query: string,
  rows: QueryRows,
  changes: Partial<QueryRows> | (() => Partial<QueryRows>),
  affects: Mutation['affects'] = 'content',
): Mutation {
  const apply: Mutation['apply'] = (observation) => {
    const changed = { ...rows, ...(typeof changes === 'function' ? changes() : changes) };
    return { ...observation, database: new Map(observation.database).set(query, changed) };
  };
  return { description, affects, cost: 10 * rows.rows.length + 100, size: 10 * rows.rows.length, apply };
}
