/** Leases only what the executor can do: a run that it would send in part ends instead. */
import { type ExecutorFeature, executorFeatures } from '../../contract/executor-api.ts';
import { hideOwnership } from '../../scenario/metadata.ts';
import { parseScenario } from '../../scenario/parse.ts';
import { hasRequestFeatures, listTriggers } from '../../scenario/steps.ts';
import { maxTextLength } from '../../scenario/text-limits.ts';
import type { Counters } from '../../store/control/counters.ts';
import type { LeaseRow } from '../../store/control/runs/leases.ts';
import type { Sql } from '../../store/sql.ts';
import { failUnsupportedRun } from '../runs/lost-run.ts';

export function hasAllFeatures(features: readonly string[] | undefined): boolean {
  return executorFeatures.every((feature) => features?.includes(feature));
}

/** A text that cannot be read is reported by the executor. */
function listRequiredFeatures(text: string): readonly ExecutorFeature[] {
  const scenario = parseScenario(text, { variables: 'any' }, () => {});
  if (!scenario) return [];
  return [
    ...(hasRequestFeatures(scenario) ? (['steps'] as const) : []),
    ...(scenario.cases.length > 0 ? (['cases'] as const) : []),
    ...(listTriggers(scenario).some(({ encoding }) => encoding?.kind === 'multipart') ? (['multipart'] as const) : []),
    ...(listTriggers(scenario).some(({ grpc }) => grpc) ? (['grpc'] as const) : []),
    ...(scenario.receive ? (['streams'] as const) : []),
    ...(text.length > maxTextLength ? (['long-texts'] as const) : []),
  ];
}

/** More runs end in the next transaction: on PostgreSQL one with a hundred takes 12 s, in which nothing else is written. */
const maxRefused = 10;

/**
 * The first lease of `offer` that an executor with these `features` can execute; those before it end as failed, and
 * `onRefused` gets them. `offer` leases the oldest run each time. Undefined when the queue is empty, or when as many ended as
 * one transaction may end.
 */
export function offerSupportedLease(
  sql: Sql,
  counters: Counters,
  features: readonly string[] | undefined,
  nowMs: number,
  offer: () => LeaseRow | undefined,
  onRefused: (runMs: number) => void,
): LeaseRow | undefined {
  for (let count = 0; count < maxRefused; count += 1) {
    const lease = offer();
    if (!lease) return undefined;
    if (hasAllFeatures(features)) return lease;
    if (listRequiredFeatures(lease.text).every((feature) => features?.includes(feature)))
      return features?.includes('owner') ? lease : { ...lease, text: hideOwnership(lease.text) };
    if (!failUnsupportedRun(sql, counters, lease.id, lease.fence, nowMs)) return undefined;
    onRefused(lease.id);
  }
  return undefined;
}
