/** The queries of a scenario → the evidence of its database, one after the other. */
import type { ObservedBody, ObservedQuery } from '../check/observed.ts';
import type { Clock } from '../environment/clock.ts';
import { VpError, wordsOf } from '../errors/vp-error.ts';
import { absentEvidence } from '../judge/evidence-checks.ts';
import type { QueryEvidence } from '../run/evidence.ts';
import type { BindValues } from '../scenario/bind.ts';
import { bindQuery } from '../scenario/bind-query.ts';
import type { ScenarioQuery } from '../scenario/scenario.ts';
import type { Concealment } from './conceal.ts';
import type { TargetDatabase } from './database/target-database.ts';

/** Whom to ask, and what the placeholders stand for. */
export type AskOptions = {
  readonly queries: readonly ScenarioQuery[];
  readonly database: TargetDatabase | undefined;
  readonly values: BindValues;
  readonly body: ObservedBody;
  /** Takes the target's secrets out of parameters: a query could tell an echoed one a character at a time. */
  readonly conceal: Concealment['conceal'];
  readonly clock: Clock;
  /** For all of them together. */
  readonly limitMs: number;
};

/** Asks all of them once. Never rejects: what cannot be asked, or not in time, is unavailable. */
export async function askQueries(options: AskOptions, signal?: AbortSignal): Promise<readonly QueryEvidence[]> {
  const { clock, limitMs } = options;
  const over = new AbortController();
  const stopTimer = clock.after(limitMs, () => over.abort());
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const answers: QueryEvidence[] = [];
  try {
    for (const query of options.queries) {
      const answer = await ask(query, options, either);
      answers.push(over.signal.aborted && !signal?.aborted ? late(answer, limitMs) : answer);
    }
    return answers;
  } finally {
    stopTimer();
  }
}

/** What was answered by then stays; a query that cannot be asked at all would have been no faster. */
function late(answer: QueryEvidence, limitMs: number): QueryEvidence {
  const { observed } = answer;
  if (observed.kind !== 'unavailable' || observed.isFinal) return answer;
  const { message: problem, cure } = wordsOf('EVIDENCE_QUERIES_SLOW', { seconds: limitMs / 1000 });
  return { ...answer, observed: { kind: 'unavailable', problem, cure } };
}

async function ask(query: ScenarioQuery, options: AskOptions, signal: AbortSignal): Promise<QueryEvidence> {
  const { database, values, body, clock, conceal = (text) => text } = options;
  const startMs = clock.monotonicMs();
  const told = { name: query.name, line: query.range.start.line };
  const ended = (sql: string, observed: ObservedQuery): QueryEvidence => ({
    ...told,
    sql,
    observed,
    durationMs: clock.monotonicMs() - startMs,
  });
  if (!database) return ended('', { ...absentEvidence('EVIDENCE_DATABASE_ABSENT'), isFinal: true });
  try {
    const { sql, values: raw } = bindQuery(query, values, body, conceal);
    const bound = { sql, values: raw.map((value) => (value === null ? null : conceal(value))) };
    return ended(sql, await database.query(bound, { signal }));
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    return ended('', unavailable(error));
  }
}

/** Of what cannot be bound: that does not change within a run. */
function unavailable({ message, cure }: { readonly message: string; readonly cure: string }): ObservedQuery {
  return { kind: 'unavailable', problem: message, cure, isFinal: true };
}
