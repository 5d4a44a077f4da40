import type { Page, PageParams } from './api-call.ts';

/** The most items that a list returns at once. */
export const maxPageSize = 200;

/** The pages of a list, until the last one or until the caller has enough. */
export async function* eachPage<P extends { readonly next_cursor: string | null }>(
  readPage: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void> {
  let cursor: string | undefined;
  do {
    const page = await readPage(cursor);
    yield page;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Reads page after page, each of at most `pageSize` items, until there are `limit` items or no more. `isComplete` is false where
 * the list goes on.
 */
export async function readPages<T>(
  readPage: (page: PageParams) => Promise<Page<T>>,
  limit = Number.POSITIVE_INFINITY,
  pageSize = maxPageSize,
): Promise<{ readonly items: T[]; readonly isComplete: boolean }> {
  const items: T[] = [];
  const readNext = (cursor: string | undefined): Promise<Page<T>> =>
    readPage({ limit: Math.min(pageSize, limit - items.length), cursor });
  for await (const page of eachPage(readNext)) {
    items.push(...page.items);
    if (items.length >= limit) return { items, isComplete: page.next_cursor === null };
  }
  return { items, isComplete: true };
}
