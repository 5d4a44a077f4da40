/** What a part of the bench gives: rows of one table. */

/** Times and sizes are better low, rates high. MB are 1,000,000 bytes. */
export type Unit = 'ms' | 'MB' | 'runs/s' | 'requests/s' | 'calls/s' | 'lines/s' | 'tokens' | '%' | 'sends/s' | 'MB/s';

/** A limit in words, and whether it was kept. */
export type Limit = { readonly text: string; readonly isMet: boolean };

/** One measurement beside its floor: the least that the same work costs without `vp`, measured in turns with it. */
export type Row = {
  readonly measured: string;
  readonly value: number;
  readonly unit: Unit;
  /** In the same unit, or in one that means the same without `vp`. */
  readonly floor?: { readonly what: string; readonly value: number; readonly unit?: Unit };
  readonly limit?: Limit;
};

/** The value in terms of its floor; undefined where there is none. */
export function calculateRatio({ value, floor }: Row): number | undefined {
  return floor === undefined ? undefined : value / floor.value;
}

/** "at most 2× the floor". */
export function withMaxRatio(row: Row, max: number): Row {
  return { ...row, limit: { text: `≤ ${max}×`, isMet: (calculateRatio(row) ?? Number.POSITIVE_INFINITY) <= max } };
}

/** "at least 0.6× the floor". */
export function ratioAtLeast(row: Row, least: number): Row {
  return { ...row, limit: { text: `≥ ${least}×`, isMet: (calculateRatio(row) ?? 0) >= least } };
}

/** A limit on the value itself. */
export function under(row: Row, max: number): Row {
  return { ...row, limit: { text: `< ${max.toLocaleString('en')} ${row.unit}`, isMet: row.value < max } };
}

/** A limit on the value itself. */
export function atLeast(row: Row, least: number): Row {
  return { ...row, limit: { text: `≥ ${least.toLocaleString('en')} ${row.unit}`, isMet: row.value >= least } };
}

/** A limit on what lies between the value and its floor. */
export function withMaxOverFloor(row: Row, max: number): Row {
  const over = row.value - (row.floor?.value ?? 0);
  return { ...row, limit: { text: `floor + ${max} ${row.unit}`, isMet: over <= max } };
}
