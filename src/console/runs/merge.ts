/** Changed runs into the pages of a list that was loaded before. */
import type { InfiniteData } from '@tanstack/react-query';
import type { Page } from '../../client/call.ts';
import type { Run } from '../../contract/api.ts';
import { matches, type RunFilter } from './filter.ts';

/** A list as far as it was loaded, newest first. */
export type RunPages = InfiniteData<Page<Run>, unknown>;

/** With more rows than this on the first page the list is loaded anew, as soon as nobody reads it. */
export const headLimit = 600;
/** While somebody reads, more than this are not taken in; loading anew brings them. */
export const heldLimit = 2_000;

/** Rows in place; what is new stands where its age puts it. Runs older than what was loaded are left for their page. */
export function withRuns(data: RunPages, changed: readonly Run[], filter: RunFilter): RunPages {
  const waiting = new Map(changed.map((run) => [run.run_id, run]));
  const pages = data.pages.map((page) => {
    if (!page.items.some(({ run_id }) => waiting.has(run_id))) return page;
    const items = page.items.map((item) => {
      const newer = waiting.get(item.run_id);
      waiting.delete(item.run_id);
      return newer ?? item;
    });
    return { ...page, items };
  });
  const arrived = [...waiting.values()].filter((run) => matches(run, filter));
  for (const run of arrived) if (headOf(pages) < heldLimit) insert(pages, run);
  return { ...data, pages };
}

function insert(pages: Page<Run>[], run: Run): void {
  const isBefore = ({ items }: Page<Run>): boolean => (items.at(-1)?.run_id ?? '') < run.run_id;
  const found = pages.findIndex(isBefore);
  const last = pages.length - 1;
  const index = found === -1 && pages[last]?.next_cursor === null ? last : found;
  const page = pages[index];
  if (!page) return;
  const at = page.items.findIndex(({ run_id }) => run_id < run.run_id);
  const items = at === -1 ? [...page.items, run] : page.items.toSpliced(at, 0, run);
  pages[index] = { ...page, items };
}

function headOf(pages: readonly Page<Run>[]): number {
  return pages[0]?.items.length ?? 0;
}

/** True when so many runs arrived on top that the list is better loaded anew. */
export function isOverfull(data: RunPages | undefined): boolean {
  return data !== undefined && headOf(data.pages) > headLimit;
}

/** The first page alone, which is then loaded anew without its rows vanishing meanwhile. */
export function firstPageOf({ pages, pageParams }: RunPages): RunPages {
  return { pages: pages.slice(0, 1), pageParams: pageParams.slice(0, 1) };
}

/** All rows in order. */
export function rowsOf(data: RunPages | undefined): readonly Run[] {
  return data?.pages.flatMap(({ items }) => items) ?? [];
}
