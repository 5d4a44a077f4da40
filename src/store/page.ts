/**
 * The page of rows that were read with one more than `limit`. `last` is the row at which the next page begins; undefined where
 * there is none.
 */
export function slicePage<Row>(
  rows: readonly Row[],
  limit: number,
): { readonly items: Row[]; readonly last: Row | undefined } {
  const items = rows.slice(0, limit);
  return { items, last: rows.length > limit ? items.at(-1) : undefined };
}
