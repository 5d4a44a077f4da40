import type { Page, PageParams } from './api-call.ts';

/** The most items that a list returns at once. */
const maxPageSize = 200;

/**
 * Reads page after page until there are `limit` items or no more. `isComplete` is false where the list goes on. Two loops are not
 * this one: `find-run.ts` filters each page and bounds their number, and `vp audit search` follows how far the server has searched.
 */
export async function readPages<T>(
  readPage: (page: PageParams) => Promise<Page<T>>,
  limit = Number.POSITIVE_INFINITY,
): Promise<{ readonly items: T[]; readonly isComplete: boolean }> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await readPage({ limit: Math.min(maxPageSize, limit - items.length), cursor });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && items.length < limit);
  return { items, isComplete: cursor === undefined };
}
