/**
 * The filters of a page: those in its address, or those of the saved view that the address names. `?view=<id>` alone is the
 * view, whatever its filters are; beside filters it says which view they were changed from.
 */
import { useCallback, useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { type ViewPage, viewFilterNames } from '../../contract/view-limits.ts';
import type { SavedView, ViewFilters } from '../../contract/views-api.ts';
import { useViews } from './use-views.ts';

export type FilterParams = {
  readonly instance: string;
  readonly page: ViewPage;
  readonly filters: URLSearchParams;
  /** The view that the address names. */
  readonly view: SavedView | undefined;
  /** True where the filters are no longer those of `view`. */
  readonly isChanged: boolean;
  /** `unknown`: the address names a view that is not there. */
  readonly state: 'ready' | 'loading' | 'failed' | 'unknown';
  readonly error: Error | null;
  /** Replaces the filters by those that `update` leaves. With `replace` no step is added to the history. */
  change(update: (filters: URLSearchParams) => void, options?: { readonly replace?: boolean }): void;
};

/** In the order of the page, without what is empty. */
export function selectFilters(page: ViewPage, search: URLSearchParams): URLSearchParams {
  return new URLSearchParams(
    viewFilterNames[page].flatMap((name) => {
      const value = search.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

export function toSearchParams({ page, filters }: Pick<SavedView, 'page' | 'filters'>): URLSearchParams {
  return selectFilters(page, new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== undefined)));
}

/** As the API takes them, which refuses values that the page does not know. */
export function toViewFilters(filters: URLSearchParams): ViewFilters {
  return Object.fromEntries(filters) as ViewFilters;
}

/** The query of an address that shows `filters`, which were those of `view` before. */
export function buildSearch(filters: URLSearchParams, view: SavedView | undefined): URLSearchParams {
  if (!view || filters.size === 0) return filters;
  const search = new URLSearchParams({ view: view.view_id });
  if (toSearchParams(view).toString() !== filters.toString())
    for (const [name, value] of filters) search.set(name, value);
  return search;
}

export function clearFilters(filters: URLSearchParams): void {
  for (const name of [...filters.keys()]) filters.delete(name);
}

export function useFilterParams(instance: string, page: ViewPage): FilterParams {
  const [search, setSearch] = useSearchParams();
  const id = search.get('view') ?? undefined;
  const { data, error } = useViews(instance);
  const view = id === undefined ? undefined : data?.find((item) => item.view_id === id && item.page === page);
  const query = search.toString();
  const { filters, isChanged } = useMemo(() => {
    const own = selectFilters(page, new URLSearchParams(query));
    const saved = view ? toSearchParams(view) : undefined;
    const used = own.size === 0 && saved ? saved : own;
    return { filters: used, isChanged: saved !== undefined && saved.toString() !== used.toString() };
  }, [page, query, view]);
  const change = useCallback<FilterParams['change']>(
    (update, options) => {
      const next = new URLSearchParams(filters);
      update(next);
      setSearch(buildSearch(selectFilters(page, next), view), options);
    },
    [page, filters, view, setSearch],
  );
  const isWaiting = id !== undefined && data === undefined;
  const state = isWaiting ? (error ? 'failed' : 'loading') : id !== undefined && !view ? 'unknown' : 'ready';
  return { instance, page, filters, view, isChanged, state, error, change };
}
