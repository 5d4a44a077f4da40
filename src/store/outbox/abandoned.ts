/** Runs that were started and have no report, because the executor ended in between. */
import { Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const idReader = rowReader(Type.Object({ run_id: Type.String() }));

/** Leased ones, newest first; nobody waits to be told of direct ones. */
export function abandonedRuns(sql: Sql, limit: number): string[] {
  const text = `SELECT run_id FROM runs WHERE state = 'abandoned' AND origin = 'queue' ORDER BY seq DESC LIMIT ?`;
  return idReader.all(sql.prepare(text), limit).map(({ run_id }) => run_id);
}

/** The control plane has been told: they are remembered like every run that is over. */
export function forgetAbandoned(sql: Sql): void {
  sql.prepare(`UPDATE runs SET state = 'acknowledged' WHERE state = 'abandoned'`).run();
}
