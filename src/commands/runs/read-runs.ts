/** Reads runs page by page, and follows how far the control plane has searched. */
import type { RunsFilter } from '../../client/runs.ts';
import type { Run } from '../../contract/api.ts';
import type { RunPage } from '../../contract/run-search-api.ts';

const maxPageSize = 200;
/** Each request examines a few thousand runs, so a search ends within seconds even without a match. */
const maxRequests = 200;

/** Runs requested before `lookedUntil` were not searched; undefined when all were, or `limit` runs were found. */
export type FoundRuns = { readonly runs: readonly Run[]; readonly lookedUntil: string | undefined };

/** `onProgress` gets the time up to which runs were searched. */
export async function readRuns(
  list: (filter: RunsFilter) => Promise<RunPage>,
  filter: RunsFilter,
  limit: number,
  onProgress: (until: string) => void,
): Promise<FoundRuns> {
  const runs: Run[] = [];
  let cursor: string | undefined;
  for (let requestCount = 1; ; requestCount += 1) {
    const page = await list({ ...filter, limit: Math.min(maxPageSize, limit - runs.length), cursor });
    runs.push(...page.items);
    cursor = page.next_cursor ?? undefined;
    if (cursor === undefined || runs.length >= limit) return { runs, lookedUntil: undefined };
    const { looked_until: lookedUntil } = page;
    if (lookedUntil === undefined) continue;
    if (requestCount >= maxRequests) return { runs, lookedUntil };
    onProgress(lookedUntil);
  }
}
