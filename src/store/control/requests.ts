/** Requesting and cancelling runs. */
import { type Static, Type } from '@sinclair/typebox';
import { correlationIdOf, runIdOf } from '../../run/run-id.ts';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';
import type { Counters } from './counters.ts';

/** One run to be queued. */
export type RunInput = { readonly scenario: string; readonly revisionId: number };

/** Who asks, when, for what; `random` gives the random part of each correlation id. */
export type RequestContext = {
  readonly instance: string;
  readonly by: string;
  readonly nowMs: number;
  readonly prove: boolean;
  random(): string;
};

/** Queues runs in order; gives their ids. */
export function insertRuns(sql: Sql, counters: Counters, context: RequestContext, runs: readonly RunInput[]): number[] {
  const statement = sql.prepare(
    `INSERT INTO runs (id, instance_id, scenario_id, revision_id, correlation_id, state, origin, requested_by,
       requested_at_ms, prove, seq)
     VALUES (?, ?, ?, ?, ?, 'queued', 'queue', ?, ?, ?, ?)`,
  );
  return runs.map((run) => {
    const id = counters.runMs(context.nowMs);
    const correlationId = correlationIdOf(runIdOf(id), context.random());
    const { instance, by, nowMs } = context;
    const prove = context.prove ? 1 : 0;
    statement.run(id, instance, run.scenario, run.revisionId, correlationId, by, nowMs, prove, counters.seq());
    return id;
  });
}

const KeyShape = Type.Object({ digest: Type.String(), run_ids: Type.String() });
const keys = rowReader(KeyShape);

/** What an idempotency key stood for; `run_ids` is a JSON array of ids. */
export function findRequestKey(sql: Sql, instance: string, key: string): Static<typeof KeyShape> | undefined {
  return keys.one(
    sql.prepare('SELECT digest, run_ids FROM request_keys WHERE instance_id = ? AND key = ?'),
    instance,
    key,
  );
}

/** Keeps an idempotency key with the digest of its request and the runs it made. */
export function insertRequestKey(
  sql: Sql,
  instance: string,
  entry: { key: string; digest: string; runIds: readonly number[]; nowMs: number },
): void {
  sql
    .prepare('INSERT INTO request_keys (instance_id, key, digest, run_ids, created_at_ms) VALUES (?, ?, ?, ?, ?)')
    .run(instance, entry.key, entry.digest, JSON.stringify(entry.runIds), entry.nowMs);
}

/** Ends a queued run; false when it is not queued. */
export function cancelQueued(sql: Sql, counters: Counters, id: number, nowMs: number): boolean {
  const statement = sql.prepare(
    "UPDATE runs SET state = 'cancelled', finished_at_ms = ?, seq = ? WHERE id = ? AND state = 'queued'",
  );
  return statement.run(nowMs, counters.seq(), id).changes === 1;
}

/** Asks the executor of a leased run to stop; false when it is not leased. */
export function askToCancel(sql: Sql, counters: Counters, id: number): boolean {
  const statement = sql.prepare("UPDATE runs SET cancel_requested = 1, seq = ? WHERE id = ? AND state = 'in_progress'");
  return statement.run(counters.seq(), id).changes === 1;
}
