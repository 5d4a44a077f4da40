/** The nearest rank of a percentile among `count` values, from 1 on. */
export function getPercentileRank(count: number, share: number): number {
  return Math.max(1, Math.ceil(count * share));
}

/**
 * The smallest value that this share of the values does not exceed (nearest rank), which is always one of them; null without
 * values. `sorted` is ascending.
 */
export function getPercentile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[getPercentileRank(sorted.length, share) - 1] ?? null;
}

/** Numbers in ascending order. */
export function sortNumbers(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}
