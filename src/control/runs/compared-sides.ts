/**
 * The runs of one side of a comparison, summarized. Sides of versions and branches stay in memory: runs that ended since are
 * read by their commits and added, so that the answer is always that of the store, and only the first read takes 20,000 rows.
 */
import { type ComparedRun, type SummarizedRuns, summarizeRuns } from '../../insight/comparison.ts';
import { getRunOutcome } from '../../run/state.ts';
import {
  type ComparedRunRow,
  type ComparedSelection,
  listComparedRuns,
  listRenames,
} from '../../store/control/runs/compared-runs.ts';
import type { EndedSinceRow } from '../../store/control/runs/ended-since.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import { listNewlyEnded, type ResultBasis, readBasis } from './ended-changes.ts';

/** Of each side. Measured with both full on two busy cores: 0.4 s, in steps between which other work goes on. */
export const maxComparedRuns = 20_000;
/** A row takes about 150 bytes; the summary of a side, whatever its rows, as much as so many of them. */
const maxStoredRows = 100_000;
const rowsPerSummary = 1_000;

/** `rows` are newest first. */
type SideRows = { readonly basis: ResultBasis; readonly rows: readonly ComparedRunRow[] };

type StoredSide = SideRows & { readonly renames: string; readonly runs: SummarizedRuns };

export type ComparedSideRuns = Pick<StoredSide, 'rows' | 'runs'>;

function isSelected(row: EndedSinceRow, selection: ComparedSelection): boolean {
  if (selection.kind === 'period') return row.id >= selection.sinceMs && row.id < selection.untilMs;
  return selection.kind === 'version' ? row.target_version === selection.version : row.branch === selection.branch;
}

function mergeRows(rows: readonly ComparedRunRow[], added: readonly ComparedRunRow[]): readonly ComparedRunRow[] {
  if (added.length === 0) return rows;
  const changed = new Map(added.map((row) => [row.id, row]));
  return [...changed.values(), ...rows.filter(({ id }) => !changed.has(id))]
    .sort((a, b) => b.id - a.id)
    .slice(0, maxComparedRuns);
}

function readRows(sql: Sql, instance: string, selection: ComparedSelection, before: SideRows | undefined): SideRows {
  const basis = readBasis(sql, instance);
  const ended = before && listNewlyEnded(sql, instance, before.basis, basis);
  const rows = ended
    ? mergeRows(
        before.rows,
        ended.filter((row) => isSelected(row, selection)),
      )
    : listComparedRuns(sql, instance, selection, maxComparedRuns);
  return { basis, rows };
}

/** Without spreading: there are up to 20,000 of them. */
function toComparedRun(row: ComparedRunRow, renames: ReadonlyMap<string, string>): ComparedRun {
  let scenario = row.scenario_id;
  // The catalogue refuses a rename to an id that is in use, so that this ends; the bound is for stores that were edited.
  for (let step = 0; step < renames.size; step += 1) scenario = renames.get(scenario) ?? scenario;
  return {
    id: row.id,
    scenario,
    outcome: getRunOutcome(row.state, row.failure_kind) ?? 'cancelled',
    durationMs: row.duration_ms,
    failure: row.failure_group,
    quarantined: row.in_quarantine === 1,
  };
}

export type ComparedSides = { read(instance: string, selection: ComparedSelection): Promise<ComparedSideRuns> };

export function createComparedSides({ read }: Pick<Database, 'read'>): ComparedSides {
  /** The one that was used last is the last one. */
  const sides = new Map<string, StoredSide>();
  const store = (key: string, side: StoredSide): void => {
    sides.delete(key);
    sides.set(key, side);
    let total = [...sides.values()].reduce((sum, { rows }) => sum + rows.length + rowsPerSummary, 0);
    for (const [oldest, { rows }] of sides) {
      if (total <= maxStoredRows) return;
      sides.delete(oldest);
      total -= rows.length + rowsPerSummary;
    }
  };
  return {
    async read(instance, selection) {
      const key = JSON.stringify([instance, selection]);
      const before = sides.get(key);
      const { basis, rows, renames } = await read((sql) => ({
        ...readRows(sql, instance, selection, before),
        renames: listRenames(sql, instance),
      }));
      const renamesText = JSON.stringify([...renames]);
      const isSame = rows === before?.rows && renamesText === before.renames;
      const runs = isSame ? before.runs : summarizeRuns(rows.map((row) => toComparedRun(row, renames)));
      // A period that ends now is another one next time.
      if (selection.kind !== 'period') store(key, { basis, rows, renames: renamesText, runs });
      return { rows, runs };
    },
  };
}
