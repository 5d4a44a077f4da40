/** Reads runs page by page, and follows how far the control plane has searched. */

import type { RunsFilter } from '../../client/runs.ts';
import { eachPage, maxPageSize } from '../../client/transport/pages.ts';
import type { Run } from '../../contract/api.ts';
import type { RunPage } from '../../contract/run-search-api.ts';

/** Each request examines a few thousand runs, so a search ends within seconds even without a match. */
const maxRequests = 200;

/** Runs requested before `lookedUntil` were not searched; undefined when all were, or `limit` runs were found. */
export type RunSearchResult = { readonly runs: readonly Run[]; readonly lookedUntil: string | undefined };

/** `onProgress` gets the time up to which runs were searched. */
export async function readRuns(
  list: (filter: RunsFilter) => Promise<RunPage>,
  filter: RunsFilter,
  limit: number,
  onProgress: (until: string) => void,
): Promise<RunSearchResult> {
  const runs: Run[] = [];
  const readPage = (cursor: string | undefined) =>
    list({ ...filter, limit: Math.min(maxPageSize, limit - runs.length), cursor });
  let requestCount = 0;
  for await (const { items, next_cursor: next, looked_until: lookedUntil } of eachPage(readPage)) {
    runs.push(...items);
    requestCount += 1;
    if (next === null || runs.length >= limit) break;
    if (lookedUntil === undefined) continue;
    if (requestCount >= maxRequests) return { runs, lookedUntil };
    onProgress(lookedUntil);
  }
  return { runs, lookedUntil: undefined };
}
