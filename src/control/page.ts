import type { Page } from './control.ts';

/** A page of wire forms from one row more than asked for; the cursor names the last row shown. */
export function pageOf<R, W>(
  rows: readonly R[],
  limit: number,
  wire: (row: R) => W,
  cursorOf: (row: R) => string,
): Page<W> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { items: shown.map(wire), next_cursor: more ? cursorOf(last) : null };
}
