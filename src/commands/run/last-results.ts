/**
 * Which scenarios of a selection did not pass when it last ran here, for --failed: a file for each selection in the user's cache
 * folder. Losing it costs nothing but that all scenarios run.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { writeFileAtomically } from '../../files/atomic-write.ts';
import { isObject } from '../../json/json-object.ts';
import { formatRelativeTime } from '../../terminal/relative-time.ts';
import type { RunCollector } from './run-collector.ts';
import type { Selection } from './selection.ts';

/** `open`: IDs of the scenarios that did not pass, or were not run. */
type LastResults = { readonly finished_at: string; readonly scenarios: number; readonly open: readonly string[] };

export type SelectionHistory = {
  /** The items to run: all, or with --failed those that did not pass the last time; says which and why. */
  narrow<T>(items: readonly T[], getId: (item: T) => string): readonly T[];
  /** Saves the results of this run for the next one. */
  save(collector: RunCollector): void;
};

/** `scope`: what else distinguishes selections, such as the instance and the control plane. */
export function openSelectionHistory(
  { paths, ids, tags }: Selection,
  scope: readonly (string | undefined)[],
  onlyFailed: boolean,
  environment: Environment,
): SelectionHistory {
  const { cwd, clock, random, streams } = environment;
  const key = JSON.stringify([
    cwd,
    scope.map((part) => part ?? null),
    ...[paths, ids, tags].map((list) => [...list].sort()),
  ]);
  const folder = join(environment.paths.cache, 'last-runs');
  const file = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
  const previous = onlyFailed ? readLastResults(file) : undefined;
  const note = (text: string): void => void streams.stderr.write(`--failed: ${text}\n`);
  return {
    narrow(items, getId) {
      if (!onlyFailed) return items;
      if (!previous) {
        note(`no earlier run of this selection is known here; running all ${items.length}`);
        return items;
      }
      const { finished_at: at } = previous;
      const moment = `${at.slice(0, 10)} ${at.slice(11, 19)} UTC, ${formatRelativeTime(at, clock.nowMs())}`;
      const open = new Set(previous.open);
      const selected = items.filter((item) => open.has(getId(item)));
      if (selected.length === 0) {
        const reason = open.size === 0 ? 'everything passed' : 'what did not pass is not selected any more';
        note(`${reason} in the last run of this selection (${moment}); running all ${items.length}`);
        return items;
      }
      note(`${selected.length} of ${items.length} did not pass in the last run of this selection (${moment})`);
      return selected;
    },
    save(collector) {
      const { passedIds, notPassedIds, unfinished } = collector;
      const current = new Set([...notPassedIds, ...unfinished.map(({ scenarioId }) => scenarioId)]);
      if (current.size + passedIds.size === 0) return;
      const untouched = (previous?.open ?? []).filter((id) => !passedIds.has(id) && !current.has(id));
      const open = [...current, ...untouched];
      const results: LastResults = {
        finished_at: new Date(clock.nowMs()).toISOString(),
        scenarios: current.size + passedIds.size,
        open,
      };
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileAtomically(file, `${JSON.stringify(results)}\n`, { random, isDurable: false });
      } catch {
        // A cache folder that cannot be written must not fail a run; --failed then says that nothing is known.
      }
    },
  };
}

function readLastResults(file: string): LastResults | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isLastResults(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isLastResults(value: unknown): value is LastResults {
  if (!isObject(value) || !('open' in value) || !('finished_at' in value)) return false;
  const { open, finished_at: at } = value;
  const isMoment = typeof at === 'string' && !Number.isNaN(Date.parse(at));
  return isMoment && Array.isArray(open) && open.every((id) => typeof id === 'string');
}
