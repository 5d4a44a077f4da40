/** Runs the queries of a scenario, one after another, and returns their evidence. */
import type { ObservedBody, ObservedQueryResult } from '../../check/observation.ts';
import type { Clock } from '../../environment/clock.ts';
import { formatError, VpError } from '../../errors/vp-error.ts';
import { createAbsentEvidence } from '../../judge/evidence-checks.ts';
import type { QueryEvidence } from '../../run/evidence.ts';
import type { BindValues } from '../../scenario/bind.ts';
import { bindQuery } from '../../scenario/bind-query.ts';
import type { ScenarioQuery } from '../../scenario/scenario.ts';
import type { TargetDatabase } from '../database/target-database.ts';
import type { Concealment } from '../redaction/concealment.ts';

export type RunQueriesOptions = {
  readonly queries: readonly ScenarioQuery[];
  readonly database: TargetDatabase | undefined;
  readonly values: BindValues;
  readonly body: ObservedBody;
  /**
   * Removes the target's secrets from parameters: otherwise a query could reveal an echoed one character by character.
   */
  readonly conceal: Concealment['conceal'];
  readonly clock: Clock;
  /** For all queries together. */
  readonly timeoutMs: number;
  /** When the run began, by the monotonic clock. */
  readonly startMonotonicMs: number;
};

/** Runs every query once. Never rejects: a query that cannot run, or not in time, is unavailable. */
export async function runQueries(options: RunQueriesOptions, signal?: AbortSignal): Promise<readonly QueryEvidence[]> {
  const { clock, timeoutMs } = options;
  const timeout = new AbortController();
  const stopTimer = clock.after(timeoutMs, () => timeout.abort());
  const combinedSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  const results: QueryEvidence[] = [];
  try {
    for (const query of options.queries) {
      const result = await runQuery(query, options, combinedSignal);
      results.push(timeout.signal.aborted && !signal?.aborted ? markLate(result, timeoutMs) : result);
    }
    return results;
  } finally {
    stopTimer();
  }
}

/** Results that arrived in time are kept; a query that cannot run at all would not have been faster. */
function markLate(result: QueryEvidence, timeoutMs: number): QueryEvidence {
  const { observed } = result;
  if (observed.kind !== 'unavailable' || observed.isFinal) return result;
  const { message: problem, cure } = formatError('EVIDENCE_QUERIES_SLOW', { seconds: timeoutMs / 1000 });
  return { ...result, observed: { kind: 'unavailable', problem, cure } };
}

async function runQuery(query: ScenarioQuery, options: RunQueriesOptions, signal: AbortSignal): Promise<QueryEvidence> {
  const { database, values, body, clock, conceal = (text) => text } = options;
  const startMs = clock.monotonicMs();
  const queryLabel = { name: query.name, line: query.range.start.line };
  const createEvidence = (sql: string, observed: ObservedQueryResult): QueryEvidence => ({
    ...queryLabel,
    sql,
    observed,
    atMs: startMs - options.startMonotonicMs,
    durationMs: clock.monotonicMs() - startMs,
  });
  if (!database) return createEvidence('', { ...createAbsentEvidence('EVIDENCE_DATABASE_ABSENT'), isFinal: true });
  try {
    const { sql, values: raw } = bindQuery(query, values, body, conceal);
    const bound = { sql, values: raw.map((value) => (value === null ? null : conceal(value))) };
    return createEvidence(sql, await database.query(bound, { signal }));
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return createEvidence('', toUnavailable(error));
  }
}

/** For queries that cannot be bound: that does not change within a run. */
function toUnavailable({ message, cure }: { readonly message: string; readonly cure: string }): ObservedQueryResult {
  return { kind: 'unavailable', problem: message, cure, isFinal: true };
}
