/**
 * Search for runs by more than their own columns, newest first. Each search examines a bounded number of runs, through the
 * index with the fewest entries, and returns where it stopped, so that no search blocks the service. There is no index of
 * words: it would cost each run a write.
 */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import { buildIdSelection, chooseRanges, type IdBounds, type RunRange } from './run-search-ranges.ts';
import { buildSearchConditions, type RunSearch } from './run-search-terms.ts';
import { type Condition, type RunRow, runColumns, runReader } from './runs.ts';

export type { RunSearch };

/** `stoppedId` is the oldest run that was examined; undefined when all were, and when the page is full. */
export type RunSearchPage = { readonly rows: RunRow[]; readonly stoppedId: number | undefined };

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** A frequent match is found within the first runs. */
const batchSizes = [250, 1000, 3750] as const;
/** Runs that one search examines. */
export const maxExaminedRuns = batchSizes.reduce((sum: number, size) => sum + size, 0);

type Batch = { readonly ranges: readonly RunRange[]; readonly bounds: IdBounds; readonly size: number };

/**
 * The next runs as `r`. Its limit keeps PostgreSQL from using the conditions of the search in here: without statistics it has
 * read an index for each run.
 */
function selectBatch(sql: Sql, { ranges, bounds, size }: Batch): Condition {
  const [selection, values] = buildIdSelection(ranges, bounds, size);
  // SQLite joins in the order of the rows, and need not sort; PostgreSQL joins in any order.
  const order = sql.dialect === 'postgres' ? 'ORDER BY i.id DESC' : '';
  const text = `SELECT r.* FROM (${selection}) AS i CROSS JOIN runs r ON r.id = i.id ${order} LIMIT ?`;
  return [text, [...values, size]];
}

/** Matching runs among the next ones, at most `limit`. */
function readMatches(sql: Sql, search: RunSearch, batch: Batch, limit: number): RunRow[] {
  const [examined, values] = selectBatch(sql, batch);
  const conditions = buildSearchConditions(search);
  const groups = 'LEFT JOIN failure_groups g ON g.instance_id = r.instance_id AND g.id = r.failure_group';
  const order = sql.dialect === 'postgres' ? 'ORDER BY r.id DESC' : '';
  return runReader.all(
    sql,
    `${runColumns} FROM (${examined}) AS r CROSS JOIN revisions v ON v.id = r.revision_id
     LEFT JOIN suites u ON u.id = r.suite_id ${search.texts.length > 0 ? groups : ''}
     WHERE ${['1 = 1', ...conditions.map(([text]) => text)].join(' AND ')} ${order} LIMIT ?`,
    ...[...values, ...conditions.flatMap(([, parameters]) => parameters), limit],
  );
}

/** The last of the next runs; undefined when there are fewer. */
function findBatchEnd(sql: Sql, { ranges, bounds, size }: Batch): number | undefined {
  const [selection, values] = buildIdSelection(ranges, bounds, size);
  const statement = `SELECT e.id FROM (${selection}) AS e ORDER BY e.id DESC LIMIT 1 OFFSET ?`;
  return idReader.first(sql, statement, ...values, size - 1)?.id;
}

export function searchRuns(sql: Sql, search: RunSearch): RunSearchPage {
  const { sinceMs = 0, untilMs = Number.MAX_SAFE_INTEGER, beforeId = Number.MAX_SAFE_INTEGER, limit } = search;
  let bounds: IdBounds = { firstId: sinceMs, lastId: Math.min(untilMs, beforeId) - 1 };
  const ranges = chooseRanges(sql, search, bounds, maxExaminedRuns);
  const rows: RunRow[] = [];
  if (ranges.length === 0) return { rows, stoppedId: undefined };
  for (const size of batchSizes) {
    const batch = { ranges, bounds, size };
    rows.push(...readMatches(sql, search, batch, limit - rows.length));
    if (rows.length === limit) return { rows, stoppedId: undefined };
    const endId = findBatchEnd(sql, batch);
    if (endId === undefined) return { rows, stoppedId: undefined };
    bounds = { ...bounds, lastId: endId - 1 };
  }
  return { rows, stoppedId: bounds.lastId + 1 };
}
