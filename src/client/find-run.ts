/** Finds a run by what people have at hand: its id, its correlation id from the target's log, or a part of either. */

import type { Run } from '../contract/api.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { parseRunId } from '../run/run-id.ts';
import type { RunsClient } from './runs.ts';
import { eachPage } from './transport/pages.ts';

type FindOptions = { readonly signal?: AbortSignal | undefined };

/** A shorter part would match by chance. */
const minPartLength = 4;
const pageSize = 200;
/** A part of a day or less is searched in all runs of that time, any other part in the newest runs. */
const maxPages = 25;
const maxListed = 5;
/** A direct run can have another id than the one in its correlation id, if that was taken (see `insertDirectRun`). */
const idDriftMs = 120_000;

/** Resolves with the run id. Throws RUN_UNKNOWN, or RUN_AMBIGUOUS with the matches. */
export async function findRunId(runs: RunsClient, text: string, options: FindOptions = {}): Promise<string> {
  const searched = text.trim();
  const [, id = '', suffix = ''] = /^(?:tr-)?([\dT]*)(-.*)?$/.exec(searched) ?? [];
  const idMs = parseRunId(id);
  if (idMs !== undefined) {
    const run = await tryGet(runs, id, options);
    if (run && (suffix === '' || run.correlation_id.startsWith(`tr-${id}${suffix}`))) return run.run_id;
    if (suffix === '') throw vpError('RUN_UNKNOWN', { run: searched });
    const range = { sinceMs: idMs - idDriftMs, untilMs: idMs + idDriftMs };
    const nearby = await listMatches(runs, ({ correlation_id }) => correlation_id.startsWith(searched), range, options);
    return requireOne(searched, nearby);
  }
  if (searched.length < minPartLength) throw vpError('RUN_UNKNOWN', { run: searched });
  const range = toRange(id);
  const isMatch = range
    ? ({ run_id }: Run): boolean => run_id.startsWith(id)
    : ({ run_id, correlation_id }: Run): boolean => run_id.includes(searched) || correlation_id.includes(searched);
  return requireOne(searched, await listMatches(runs, isMatch, range, options));
}

async function tryGet(runs: RunsClient, id: string, options: FindOptions): Promise<Run | undefined> {
  try {
    return await runs.get(id, options);
  } catch (error) {
    if (error instanceof VpError && error.code === 'RUN_UNKNOWN') return undefined;
    throw error;
  }
}

type TimeRange = { readonly sinceMs: number; readonly untilMs: number };

/** The time that the beginning of a run id covers, from a day to a second; undefined for other texts. */
function toRange(beginning: string): TimeRange | undefined {
  const match = /^(\d{8})(?:T(\d{0,9}))?$/.exec(beginning);
  if (!match) return undefined;
  const [, day = '', time = ''] = match;
  // Only whole parts: a half one is compared as text.
  const known = time.slice(0, Math.min(6, time.length - (time.length % 2)));
  const sinceMs = parseRunId(`${day}T${known.padEnd(9, '0')}`);
  if (sinceMs === undefined) return undefined;
  const lengthMs = [86_400_000, 3_600_000, 60_000, 1_000][known.length / 2] ?? 1_000;
  return { sinceMs, untilMs: sinceMs + lengthMs };
}

async function listMatches(
  runs: RunsClient,
  isMatch: (run: Run) => boolean,
  range: TimeRange | undefined,
  options: FindOptions,
): Promise<Run[]> {
  const times = range
    ? { since: new Date(range.sinceMs).toISOString(), until: new Date(range.untilMs).toISOString() }
    : {};
  const matches: Run[] = [];
  const readPage = (cursor: string | undefined) => runs.list({ ...times, limit: pageSize, cursor }, options);
  let pages = 0;
  for await (const { items } of eachPage(readPage)) {
    matches.push(...items.filter(isMatch));
    pages += 1;
    if (matches.length > maxListed || pages === (range ? maxPages : 1)) break;
  }
  return matches;
}

function requireOne(searched: string, matches: readonly Run[]): string {
  const [first, second] = matches;
  if (!first) throw vpError('RUN_UNKNOWN', { run: searched });
  if (!second) return first.run_id;
  const listed = matches
    .slice(0, maxListed)
    .map(({ run_id, scenario_id, state }) => `${run_id} ${scenario_id} ${state}`);
  const more = matches.length > maxListed ? ', …' : '';
  throw vpError('RUN_AMBIGUOUS', { run: searched, matches: `${listed.join(', ')}${more}` });
}
