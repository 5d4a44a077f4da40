/** Compares the newest batch of runs with the one before it: what a change of the application fixed and broke. */
import type { Run } from '../../contract/api.ts';
import { formatQuantity } from '../tools/result-text.ts';
import { formatTarget } from './target-process.ts';

/** Runs requested with a longer pause between them belong to different batches. */
const maxPauseMs = 60_000;
const maxListed = 20;

type Batch = readonly Run[];

function isSameBatch(newer: Run, older: Run): boolean {
  const pauseMs = Date.parse(newer.requested_at) - Date.parse(older.requested_at);
  const sameTarget =
    newer.target_process === undefined ||
    older.target_process === undefined ||
    newer.target_process === older.target_process;
  return pauseMs <= maxPauseMs && sameTarget;
}

/** The two newest batches; `runs` are newest first. */
function splitBatches(runs: readonly Run[]): readonly [newest: Batch, before: Batch] {
  const batches: Run[][] = [[]];
  for (const run of runs) {
    const last = batches.at(-1)?.at(-1);
    if (last && !isSameBatch(last, run)) batches.push([]);
    if (batches.length > 2) break;
    batches.at(-1)?.push(run);
  }
  return [batches[0] ?? [], batches[1] ?? []];
}

/** The newest state of each scenario that passed or failed, by its present id. */
function readStates(batch: Batch, toPresentId: (id: string) => string): Map<string, Run['state']> {
  const states = new Map<string, Run['state']>();
  for (const { scenario_id, state } of batch) {
    const id = toPresentId(scenario_id);
    if ((state === 'passed' || state === 'failed') && !states.has(id)) states.set(id, state);
  }
  return states;
}

function toBatchEntry(batch: Batch) {
  const oldest = batch.at(-1);
  if (!oldest) return null;
  return {
    ...{ first_run_id: oldest.run_id, last_run_id: batch[0]?.run_id ?? oldest.run_id, since: oldest.requested_at },
    ...{ runs: batch.length, failed: batch.filter(({ state }) => state === 'failed').length },
    target: batch.map(formatTarget).find((target) => target !== undefined) ?? null,
  };
}

/** `runs` are newest first. `toPresentId`: the id that the scenario of a run has now. */
export function compareBatches(runs: readonly Run[], toPresentId: (id: string) => string) {
  const finished = runs.filter(({ state }) => state === 'passed' || state === 'failed');
  const [newest, before] = splitBatches(finished);
  const [now, earlier] = [readStates(newest, toPresentId), readStates(before, toPresentId)];
  const select = (from: Run['state'] | undefined, to: Run['state']): string[] =>
    [...now].flatMap(([id, state]) => (state === to && earlier.get(id) === from ? [id] : [])).slice(0, maxListed);
  return {
    newest: toBatchEntry(newest),
    before: toBatchEntry(before),
    fixed: select('failed', 'passed'),
    still_failing: select('failed', 'failed'),
    newly_failing: select('passed', 'failed'),
  };
}

type BatchEntry = NonNullable<ReturnType<typeof toBatchEntry>>;

function formatBatch(name: string, { since, runs, failed, target }: BatchEntry): string {
  const targetText = target === null ? 'target process not known' : target;
  return `${name} (since ${since}; ${targetText}): ${formatQuantity(runs, 'run')}, ${failed} failed`;
}

export function formatBatches({ newest, before, ...changes }: ReturnType<typeof compareBatches>): string[] {
  if (!newest || !before) return [];
  const lists = Object.entries(changes).filter(([, ids]) => ids.length > 0);
  return [
    formatBatch('Newest batch', newest),
    formatBatch('Batch before', before),
    ...lists.map(([name, ids]) => `${name.replace('_', ' ')}: ${ids.join(', ')}`),
  ];
}
