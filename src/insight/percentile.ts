/**
 * The smallest value that this share of the values does not exceed (nearest rank), which is always one of them; null without
 * values. `sorted` is ascending.
 */
export function getPercentile(sorted: ArrayLike<number>, share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** Numbers in ascending order. */
export function sortNumbers(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}
