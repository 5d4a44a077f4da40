/** Divides scenarios among jobs that run side by side. */

/** How long a scenario of which nothing is known counts, where nothing is known of any. */
const assumedMs = 1000;

function computeMedian(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? assumedMs;
}

/** The median of each scenario. */
export function computeMedians(durations: readonly { readonly scenario: string; readonly ms: number }[]) {
  const lists = new Map<string, number[]>();
  for (const { scenario, ms } of durations) lists.set(scenario, [...(lists.get(scenario) ?? []), ms]);
  return new Map([...lists].map(([scenario, list]) => [scenario, computeMedian(list)]));
}

/**
 * Each scenario is in exactly one shard, and the order of `scenarios` does not matter: the longest goes first, to the shard
 * that has least so far (Graham's LPT rule: at most a third above the best division). Unknown ones count as the median.
 */
export function divideIntoShards(
  scenarios: readonly string[],
  shards: number,
  durations: ReadonlyMap<string, number>,
): string[][] {
  const known = scenarios.flatMap((scenario) => durations.get(scenario) ?? []);
  const typicalMs = computeMedian(known);
  // Each run also takes a little that was not measured, which spreads scenarios of no duration.
  const weigh = (scenario: string): number => Math.max(1, durations.get(scenario) ?? typicalMs);
  const byId = [...new Set(scenarios)].sort((a, b) => (a < b ? -1 : 1));
  const longestFirst = byId.toSorted((a, b) => weigh(b) - weigh(a));
  const plan = Array.from({ length: shards }, () => ({ ids: [] as string[], totalMs: 0 }));
  for (const scenario of longestFirst) {
    const least = plan.reduce((best, shard) => (shard.totalMs < best.totalMs ? shard : best));
    least.ids.push(scenario);
    least.totalMs += weigh(scenario);
  }
  return plan.map(({ ids }) => ids.sort((a, b) => (a < b ? -1 : 1)));
}
