/** Requesting and cancelling runs. */
import { type Static, Type } from '@sinclair/typebox';
import { formatCorrelationId, formatRunId } from '../../../run/run-id.ts';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';
import type { Counters } from '../counters.ts';

/** `retryOf`: the run of the suite that it replaces. */
export type NewQueuedRun = {
  readonly scenario: string;
  readonly revisionId: number;
  readonly retryOf?: number | undefined;
};

/** `random` returns the random part of each correlation id. */
export type RunRequestContext = {
  readonly instance: string;
  readonly requestedBy: string;
  readonly nowMs: number;
  readonly prove: boolean;
  readonly targetVersion: string | null;
  /** The schedule that requests them. */
  readonly schedule?: string | undefined;
  readonly suite?: number | undefined;
  random(): string;
};

/** Queues runs in order; returns their ids. */
export function insertRuns(
  sql: Sql,
  counters: Counters,
  context: RunRequestContext,
  runs: readonly NewQueuedRun[],
): number[] {
  const statement = `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
       requested_at_ms, prove, target_version, schedule_id, suite_id, retry_of, seq)
     VALUES (?, ?, ?, ?, ?, 'queued', 'queue', ?, ?, ?, ?, ?, ?, ?, ?)`;
  return runs.map((run) => {
    const id = counters.getNextRunTimeMs(context.nowMs);
    const correlationId = formatCorrelationId(formatRunId(id), context.random());
    const { instance, requestedBy, nowMs } = context;
    const prove = context.prove ? 1 : 0;
    sql.execute(
      statement,
      id,
      instance,
      run.scenario,
      run.revisionId,
      correlationId,
      requestedBy,
      nowMs,
      prove,
      context.targetVersion,
      context.schedule ?? null,
      context.suite ?? null,
      run.retryOf ?? null,
      counters.nextSeq(),
    );
    return id;
  });
}

const KeyShape = Type.Object({ digest: Type.String(), run_ids: Type.String() });
const requestKeyReader = createRowReader(KeyShape);

/** The request of an idempotency key; `run_ids` is a JSON array of ids. */
export function findRequestKey(sql: Sql, instance: string, key: string): Static<typeof KeyShape> | undefined {
  return requestKeyReader.first(
    sql,
    'SELECT digest, run_ids FROM request_keys WHERE instance_id = ? AND key = ?',
    instance,
    key,
  );
}

/** Stores an idempotency key with the digest of its request and the runs it created. */
export function insertRequestKey(
  sql: Sql,
  instance: string,
  entry: { key: string; digest: string; runIds: readonly number[]; nowMs: number },
): void {
  sql.execute(
    'INSERT INTO request_keys (instance_id, key, digest, run_ids, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    instance,
    entry.key,
    entry.digest,
    JSON.stringify(entry.runIds),
    entry.nowMs,
  );
}

const idReader = createRowReader(Type.Object({ id: Type.Integer() }));

/** Oldest first; of all scenarios, or of one. */
export function listQueuedRunIds(sql: Sql, instance: string, scenario: string | undefined): number[] {
  const ofScenario = scenario === undefined ? '' : 'AND scenario_id = ?';
  const statement = `SELECT id FROM runs WHERE instance_id = ? AND state = 'queued' ${ofScenario} ORDER BY id`;
  const rows = idReader.all(sql, statement, instance, ...(scenario === undefined ? [] : [scenario]));
  return rows.map(({ id }) => id);
}

/** False when the run is not queued. */
export function cancelQueuedRun(sql: Sql, counters: Counters, id: number, nowMs: number): boolean {
  const statement =
    "UPDATE runs SET state = 'cancelled', finished_at_ms = ?, seq = ? WHERE id = ? AND state = 'queued'";
  return sql.run(statement, nowMs, counters.nextSeq(), id) === 1;
}

/** Asks the executor of a leased run to stop; false when the run is not leased. */
export function requestCancel(sql: Sql, counters: Counters, id: number): boolean {
  const statement = "UPDATE runs SET cancel_requested = 1, seq = ? WHERE id = ? AND state = 'in_progress'";
  return sql.run(statement, counters.nextSeq(), id) === 1;
}
