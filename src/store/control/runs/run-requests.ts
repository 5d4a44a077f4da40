/** Requesting and cancelling runs. */
import { type Static, Type } from '@sinclair/typebox';
import { formatCorrelationId, formatRunId } from '../../../run/run-id.ts';
import { createRowReader } from '../../row-reader.ts';
import type { Sql, SqlValue } from '../../sql.ts';
import type { Counters } from '../counters.ts';
import type { RevisionRow } from '../instances/catalogue.ts';
import type { RunRow } from './runs.ts';

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

/** What a run got when it was queued. */
export type QueuedRun = { readonly id: number; readonly correlationId: string; readonly seq: number };

const queuedColumns = `id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
  requested_at_ms, prove, target_version, schedule_id, suite_id, retry_of, seq`;
const queuedValues = "(?, ?, ?, ?, ?, 'queued', 'queue', ?, ?, ?, ?, ?, ?, ?, ?)";

const formatInsert = (count: number): string =>
  `INSERT INTO runs (${queuedColumns}) VALUES ${Array.from({ length: count }, () => queuedValues).join(', ')}`;

/** Rows of one statement, the most first: a row of many costs PostgreSQL a third of one alone. */
const queuedInserts = [32, 8, 1].map((count) => ({ count, text: formatInsert(count) }));

/** Queues runs, and returns what they got, in their order. */
export function insertRuns(
  sql: Sql,
  counters: Counters,
  context: RunRequestContext,
  runs: readonly NewQueuedRun[],
): QueuedRun[] {
  const { instance, requestedBy, nowMs, targetVersion, schedule, suite } = context;
  const prove = context.prove ? 1 : 0;
  const queued = runs.map((): QueuedRun => {
    const id = counters.getNextRunTimeMs(nowMs);
    return { id, correlationId: formatCorrelationId(formatRunId(id), context.random()), seq: counters.nextSeq() };
  });
  const rows = runs.map(({ scenario, revisionId, retryOf }, index): SqlValue[] => {
    const { id, correlationId, seq } = queued[index] as QueuedRun;
    const requested = [requestedBy, nowMs, prove, targetVersion, schedule ?? null, suite ?? null, retryOf ?? null];
    return [id, instance, scenario, revisionId, correlationId, ...requested, seq];
  });
  let position = 0;
  for (const { count, text } of queuedInserts)
    for (; rows.length - position >= count; position += count)
      sql.execute(text, ...rows.slice(position, position + count).flat());
  return queued;
}

/** The row of a run that has just been queued, without a suite: what `findRun` returns. `ahead`: the number of runs before it. */
export function toQueuedRow(
  { instance, requestedBy, nowMs, targetVersion, schedule }: RunRequestContext,
  { scenario, retryOf }: NewQueuedRun,
  { title, revision, owner, links }: Pick<RevisionRow, 'title' | 'revision' | 'owner' | 'links'>,
  { id, correlationId, seq }: QueuedRun,
  ahead: number,
): RunRow {
  return {
    ...{ id, instance_id: instance, scenario_id: scenario, title, revision, correlation_id: correlationId },
    ...{ state: 'queued', origin: 'queue', requested_by: requestedBy, requested_at_ms: nowMs, ahead, seq },
    ...{ leased_at_ms: null, started_at_ms: null, finished_at_ms: null, cancel_requested: 0, fence: null },
    ...{ failure_kind: null, failure_message: null, failure_summary: null, failure_group: null, quarantine: null },
    ...{ observed_status: null, assertions_enforced_count: null, evidence_assertions_count: null },
    ...{ duration_ms: null, evidence_ms: null, target_process: null, target_version: targetVersion },
    ...{ schedule_id: schedule ?? null, owner, links, suite_id: null, retry_of: retryOf ?? null },
    ...{ branch: null, commit_id: null, author: null, ci_job: null, ci_url: null, report_expired: 0 },
  };
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
