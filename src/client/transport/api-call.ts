import { createObjectGuard } from './json-response.ts';

/** `next_cursor` is null on the last page. */
export type Page<T> = { readonly items: readonly T[]; readonly next_cursor: string | null };
/** `limit`: 1 to 200, 50 by default. */
export type PageParams = { readonly limit?: number; readonly cursor?: string | undefined };

export type CallOptions = { readonly signal?: AbortSignal | undefined };

/** A path of the API; segments are escaped. */
export function apiPath(...segments: readonly string[]): string {
  return `/api/v1/${segments.map(encodeURIComponent).join('/')}`;
}

export function createPageTypeGuard<T>(): (value: unknown) => value is Page<T> {
  return createObjectGuard<Page<T>>('items', 'next_cursor');
}
