/** Merges changed runs into the loaded pages of a list. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Run } from '../../contract/api.ts';
import type { RunPage } from '../../contract/run-search-api.ts';
import { matchesFilter, type RunsPageFilter } from './run-filter.ts';

/** The loaded pages of a list, newest run first. */
export type RunPages = InfiniteData<RunPage, unknown>;

/** With more rows than this on the first page, the list is reloaded as soon as it is not paused. */
export const maxFirstPageRows = 600;
/** While the list is paused, further runs are dropped; reloading the list brings them. */
export const maxFirstPageRowsWhilePaused = 2_000;

/**
 * Updates changed runs in place, removes those that no longer match, such as a queued run that has started, and inserts new
 * ones by age. Runs older than the loaded pages are ignored, and new ones of a search, which is repeated instead (use-runs.ts).
 */
export function mergeRuns(data: RunPages, changedRuns: readonly Run[], filter: RunsPageFilter): RunPages {
  const pending = new Map(changedRuns.map((run) => [run.run_id, run]));
  const pages = data.pages.map((page) => {
    if (!page.items.some(({ run_id }) => pending.has(run_id))) return page;
    const items = page.items.flatMap((item) => {
      const newer = pending.get(item.run_id);
      pending.delete(item.run_id);
      return newer === undefined ? item : matchesFilter(newer, filter) ? newer : [];
    });
    return { ...page, items };
  });
  const newRuns = filter.find !== undefined ? [] : [...pending.values()].filter((run) => matchesFilter(run, filter));
  for (const run of newRuns) if (countFirstPageRows(pages) < maxFirstPageRowsWhilePaused) insertRun(pages, run);
  return { ...data, pages };
}

function insertRun(pages: RunPage[], run: Run): void {
  const isBefore = ({ items }: RunPage): boolean => (items.at(-1)?.run_id ?? '') < run.run_id;
  const pageIndex = pages.findIndex(isBefore);
  const last = pages.length - 1;
  const index = pageIndex === -1 && pages[last]?.next_cursor === null ? last : pageIndex;
  const page = pages[index];
  if (!page) return;
  const itemIndex = page.items.findIndex(({ run_id }) => run_id < run.run_id);
  const items = itemIndex === -1 ? [...page.items, run] : page.items.toSpliced(itemIndex, 0, run);
  pages[index] = { ...page, items };
}

function countFirstPageRows(pages: readonly RunPage[]): number {
  return pages[0]?.items.length ?? 0;
}

/** Returns true if so many runs arrived that the list should be reloaded. */
export function isFirstPageTooLong(data: RunPages | undefined): boolean {
  return data !== undefined && countFirstPageRows(data.pages) > maxFirstPageRows;
}

/** Returns the first page only. Its rows stay visible while the list is reloaded. */
export function keepFirstPage({ pages, pageParams }: RunPages): RunPages {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

export function joinRunPages(data: RunPages | undefined): readonly Run[] {
  return data?.pages.flatMap(({ items }) => items) ?? [];
}
