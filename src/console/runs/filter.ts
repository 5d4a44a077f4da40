/** Which runs a list shows; the address bar is where it is kept. */
import type { RunsWanted } from '../../client/runs.ts';
import type { Run } from '../../contract/api.ts';
import { judgedKinds } from '../words/look.ts';

/** Times that can be chosen, in hours. */
export const spans = { '1h': 1, '24h': 24, '7d': 168, '30d': 720 } as const;
/** One of {@link spans}. */
export type Span = keyof typeof spans;

/** Results that can be chosen; undefined shows all. */
export type ResultFilter = 'failed' | 'broken';

/** All conditions must hold. */
export type RunFilter = {
  readonly instance: string;
  readonly result?: ResultFilter | undefined;
  readonly scenario?: string | undefined;
  readonly span?: Span | undefined;
};

function isSpan(text: string | null): text is Span {
  return text !== null && Object.hasOwn(spans, text);
}

/** The filter of an address. Unknown values count as none. */
export function filterFrom(instance: string, search: URLSearchParams): RunFilter {
  const result = search.get('result');
  const span = search.get('since');
  return {
    instance,
    result: result === 'failed' || result === 'broken' ? result : undefined,
    scenario: search.get('scenario') ?? undefined,
    span: isSpan(span) ? span : undefined,
  };
}

/** True when something is left out. */
export function isFiltered({ result, scenario, span }: RunFilter): boolean {
  return result !== undefined || scenario !== undefined || span !== undefined;
}

const hourMs = 3_600_000;

/** What the API is asked for. */
export function wantedOf({ instance, result, scenario, span }: RunFilter, nowMs: number): RunsWanted {
  return {
    instance,
    scenario,
    ...(result === undefined ? {} : { states: ['failed'], judged: result === 'failed' }),
    ...(span === undefined ? {} : { since: new Date(nowMs - spans[span] * hourMs).toISOString() }),
  };
}

/** True when a run that has just changed belongs into the list. */
export function matches(run: Run, { instance, result, scenario }: RunFilter): boolean {
  if (run.instance !== instance || (scenario !== undefined && run.scenario_id !== scenario)) return false;
  if (result === undefined) return true;
  const judged = run.failure_kind === null || judgedKinds.has(run.failure_kind);
  return run.state === 'failed' && judged === (result === 'failed');
}
