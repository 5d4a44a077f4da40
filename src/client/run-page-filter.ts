/** What the filters of the page Runs, and of its saved views, select. */
import type { ResultFilter, TimeSpan } from '../contract/view-limits.ts';
import type { RunState } from '../run/state.ts';
import { parseFindQuery } from './find-query.ts';
import type { RunsFilter } from './runs.ts';

const hourMs = 3_600_000;
const spanLengthsMs = { '1h': hourMs, '24h': 24 * hourMs, '7d': 168 * hourMs, '30d': 720 * hourMs } as const;

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

export type RunPageFilters = {
  readonly instance: string;
  readonly result?: ResultFilter | undefined;
  readonly scenario?: string | undefined;
  readonly since?: TimeSpan | undefined;
  /** As typed (find-query.ts). */
  readonly find?: string | undefined;
};

export function toRunsFilter({ instance, result, scenario, since, find }: RunPageFilters, nowMs: number): RunsFilter {
  return {
    instance,
    scenario,
    ...toStates(result),
    ...(find === undefined ? {} : parseFindQuery(find)),
    ...(since === undefined ? {} : { since: new Date(getSpanStartMs(since, nowMs)).toISOString() }),
  };
}
