/** The filter of the list of runs, stored in the query of the address. Counts, pass rate and charts obey it too. */
import type { RunsFilter } from '../../client/runs.ts';
import type { Run } from '../../contract/api.ts';
import { isFinalState, judgedFailureKinds, type RunState } from '../../run/state.ts';
import { parseFindQuery } from '../find-query.ts';

const hourMs = 3_600_000;

/** Selectable time spans: of a fixed length, or since the last midnight. */
const spanLengthsMs = { '1h': hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '30d': 720 * hourMs } as const;
export type TimeSpan = 'today' | keyof typeof spanLengthsMs;

/** `failed` and `broken` are results, the others states before a result. */
export type ResultFilter = 'failed' | 'broken' | 'running' | 'queued';
const resultFilters: readonly ResultFilter[] = ['failed', 'broken', 'running', 'queued'];

/** A run must satisfy all conditions; undefined ones accept every run, except that only finished runs have no `result`. */
export type RunsPageFilter = {
  readonly instance: string;
  readonly result?: ResultFilter | undefined;
  readonly scenario?: string | undefined;
  readonly span?: TimeSpan | undefined;
  /** As typed (find-query.ts). */
  readonly find?: string | undefined;
};

function isTimeSpan(text: string | null): text is TimeSpan {
  return text === 'today' || (text !== null && Object.hasOwn(spanLengthsMs, text));
}

/** Reads the filter from an address. Unknown values are ignored. */
export function parseRunFilter(instance: string, search: URLSearchParams): RunsPageFilter {
  const span = search.get('since');
  const find = search.get('find')?.trim();
  return {
    instance,
    result: resultFilters.find((name) => name === search.get('result')),
    scenario: search.get('scenario') ?? undefined,
    span: isTimeSpan(span) ? span : undefined,
    ...(find ? { find } : {}),
  };
}

/** Returns true if the filter excludes any runs. */
export function isFiltered({ result, scenario, span, find }: RunsPageFilter): boolean {
  return [result, scenario, span, find].some((condition) => condition !== undefined);
}

/** When the span starts; `today` at the last midnight of the reader's time zone. */
export function getSpanStartMs(span: TimeSpan, nowMs: number): number {
  return span === 'today' ? new Date(nowMs).setHours(0, 0, 0, 0) : nowMs - spanLengthsMs[span];
}

const finalStates: readonly RunState[] = ['passed', 'failed', 'cancelled'];

/** Running and queued runs are displayed apart from the finished ones. */
function toStates(result: ResultFilter | undefined): Pick<RunsFilter, 'states' | 'judged'> {
  if (result === 'running') return { states: ['in_progress'] };
  if (result === 'queued') return { states: ['queued'] };
  return result === undefined ? { states: finalStates } : { states: ['failed'], judged: result === 'failed' };
}

export function toListParams({ instance, result, scenario, span, find }: RunsPageFilter, nowMs: number): RunsFilter {
  return {
    instance,
    scenario,
    ...toStates(result),
    ...(find === undefined ? {} : parseFindQuery(find)),
    ...(span === undefined ? {} : { since: new Date(getSpanStartMs(span, nowMs)).toISOString() }),
  };
}

/** Returns true if a changed run belongs in the list, as far as `find` is not concerned: a run has neither tags nor texts. */
export function matchesFilter(run: Run, { instance, result, scenario }: RunsPageFilter): boolean {
  if (run.instance !== instance || (scenario !== undefined && run.scenario_id !== scenario)) return false;
  if (result === undefined) return isFinalState(run.state);
  if (result === 'running') return run.state === 'in_progress';
  if (result === 'queued') return run.state === 'queued';
  const isJudged = run.failure_kind === null || judgedFailureKinds.has(run.failure_kind);
  return run.state === 'failed' && isJudged === (result === 'failed');
}
