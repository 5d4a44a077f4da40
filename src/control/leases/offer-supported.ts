/** Leases only what the executor can do: a run that it would send in part ends instead. */
import { parseScenario } from '../../scenario/parse.ts';
import { hasRequestFeatures } from '../../scenario/steps.ts';
import type { Counters } from '../../store/control/counters.ts';
import type { LeaseRow } from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import { failUnsupportedRun } from '../runs/lost-run.ts';

function needsSteps(text: string): boolean {
  const scenario = parseScenario(text, { variables: 'any' }, () => {});
  return scenario !== undefined && hasRequestFeatures(scenario);
}

/**
 * The first lease of `offer` that an executor with these `features` can execute; those before it end as failed, and
 * `onRefused` gets them. `offer` leases the oldest run each time.
 */
export function offerSupportedLease(
  sql: Sql,
  counters: Counters,
  features: readonly string[] | undefined,
  nowMs: number,
  offer: () => LeaseRow | undefined,
  onRefused: (runMs: number) => void,
): LeaseRow | undefined {
  for (let lease = offer(); lease; lease = offer()) {
    if (features?.includes('steps') || !needsSteps(lease.text)) return lease;
    if (!failUnsupportedRun(sql, counters, lease.id, lease.fence, nowMs)) return undefined;
    onRefused(lease.id);
  }
  return undefined;
}
