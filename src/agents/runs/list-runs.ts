/** Lists runs; both roles use it. */
import type { RunsFilter } from '../../client/runs.ts';
import type { AgentPorts } from '../ports.ts';
import { defaultItemLimit } from '../tools/input-schemas.ts';
import { formatQuantity, joinLines } from '../tools/result-text.ts';
import type { ToolContext, ToolOutput } from '../tools/tool.ts';
import { formatRunLine, toRunEntry } from './run-entry.ts';

/** Filter and paging, and the next step to suggest. */
export type ListRunsParams = Pick<RunsFilter, 'scenario' | 'states' | 'limit' | 'cursor' | 'since' | 'until'> & {
  readonly next: string;
};

export async function listInstanceRuns(
  { control }: AgentPorts,
  { instance, signal }: ToolContext,
  { next, limit = defaultItemLimit, ...filter }: ListRunsParams,
): Promise<ToolOutput> {
  const page = await control.runs.list({ ...filter, limit, instance }, { signal });
  const { items: runs, next_cursor } = page;
  const tally: Record<string, number> = {};
  for (const { state } of runs) tally[state] = (tally[state] ?? 0) + 1;
  const counts = Object.entries(tally).map(([state, count]) => `${count} ${state}`);
  const text = joinLines(
    runs.length === 0
      ? 'No matching runs.'
      : `${formatQuantity(runs.length, 'run')}, newest first: ${counts.join(', ')}`,
    ...runs.map(formatRunLine),
    next_cursor !== null && `There are more: call again with cursor ${next_cursor}.`,
    next,
  );
  return { text, data: { runs: runs.map(toRunEntry), tally, next_cursor } };
}
