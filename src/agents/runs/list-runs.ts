/** The listing of runs, which both roles have. */
import type { RunsWanted } from '../../client/runs.ts';
import { counted } from '../answer/bounds.ts';
import { linesOf } from '../answer/words.ts';
import { usualLimit } from '../input.ts';
import type { AgentPorts } from '../ports.ts';
import type { ToolAnswer, ToolContext } from '../tool.ts';
import { runFacts, runLine } from './own-run.ts';

/** What is listed, and what to say is next. */
export type RunsListed = Pick<RunsWanted, 'scenario' | 'states' | 'limit' | 'cursor' | 'since' | 'until'> & {
  readonly next: string;
};

/** A page of the instance's runs, newest first. */
export async function listRuns(
  { control }: AgentPorts,
  { instance, signal }: ToolContext,
  { next, limit = usualLimit, ...wanted }: RunsListed,
): Promise<ToolAnswer> {
  const page = await control.runs.list({ ...wanted, limit, instance }, { signal });
  const { items: runs, next_cursor } = page;
  const tally: Record<string, number> = {};
  for (const { state } of runs) tally[state] = (tally[state] ?? 0) + 1;
  const counts = Object.entries(tally).map(([state, count]) => `${count} ${state}`);
  const text = linesOf(
    runs.length === 0 ? 'No runs fit.' : `${counted(runs.length, 'run')}, newest first: ${counts.join(', ')}`,
    ...runs.map(runLine),
    next_cursor !== null && `There are more: call again with cursor ${next_cursor}.`,
    next,
  );
  return { text, data: { runs: runs.map(runFacts), tally, next_cursor } };
}
