/** The filter of the list of runs, stored in the query of the address. */
import type { RunsFilter } from '../../client/runs.ts';
import type { Run } from '../../contract/api.ts';
import { judgedFailureKinds } from '../text/run-status.ts';

/** Selectable time spans, in hours. */
export const timeSpans = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;
export type TimeSpan = keyof typeof timeSpans;

export type ResultFilter = 'failed' | 'broken';

/** A run must satisfy all conditions; undefined ones accept every run. */
export type RunsPageFilter = {
  readonly instance: string;
  readonly result?: ResultFilter | undefined;
  readonly scenario?: string | undefined;
  readonly span?: TimeSpan | undefined;
};

function isTimeSpan(text: string | null): text is TimeSpan {
  return text !== null && Object.hasOwn(timeSpans, text);
}

/** Reads the filter from an address. Unknown values are ignored. */
export function parseRunFilter(instance: string, search: URLSearchParams): RunsPageFilter {
  const result = search.get('result');
  const span = search.get('since');
  return {
    instance,
    result: result === 'failed' || result === 'broken' ? result : undefined,
    scenario: search.get('scenario') ?? undefined,
    span: isTimeSpan(span) ? span : undefined,
  };
}

/** Returns true if the filter excludes any runs. */
export function isFiltered({ result, scenario, span }: RunsPageFilter): boolean {
  return result !== undefined || scenario !== undefined || span !== undefined;
}

const hourMs = 3_600_000;

export function toListParams({ instance, result, scenario, span }: RunsPageFilter, nowMs: number): RunsFilter {
  return {
    instance,
    scenario,
    ...(result === undefined ? {} : { states: ['failed'], judged: result === 'failed' }),
    ...(span === undefined ? {} : { since: new Date(nowMs - timeSpans[span] * hourMs).toISOString() }),
  };
}

/** Returns true if a changed run belongs in the list. */
export function matchesFilter(run: Run, { instance, result, scenario }: RunsPageFilter): boolean {
  if (run.instance !== instance || (scenario !== undefined && run.scenario_id !== scenario)) return false;
  if (result === undefined) return true;
  const isJudged = run.failure_kind === null || judgedFailureKinds.has(run.failure_kind);
  return run.state === 'failed' && isJudged === (result === 'failed');
}
