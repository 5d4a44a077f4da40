/** What the calls of all resources have in common. */
import { objectWith } from './answer.ts';

/** A page; `next_cursor` is null on the last. */
export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };
/** How far (1 to 200, 50 unless said otherwise) and where from. */
export type PageWanted = { readonly limit?: number; readonly cursor?: string | undefined };
/** Every call can be given up. */
export type Giving = { readonly signal?: AbortSignal | undefined };

/** A path of the API; names are escaped. */
export function at(...parts: readonly string[]): string {
  return `/api/v1/${parts.map(encodeURIComponent).join('/')}`;
}

/** The check that a value is a page. */
export function isPage<T>(): (value: unknown) => value is Page<T> {
  return objectWith<Page<T>>('items', 'next_cursor');
}
