/** `vp runs --view`: the filters of a saved view. */
import type { Client } from '../../client/client.ts';
import { toRunsFilter } from '../../client/run-page-filter.ts';
import type { RunsFilter } from '../../client/runs.ts';
import { vpError } from '../../errors/vp-error.ts';
import { selectInstance } from '../control-plane/control-plane-client.ts';
import { readViewFilters } from '../views/view-flags.ts';

/** What a view may be combined with. */
const combined: readonly string[] = ['instance', 'until', 'limit'];

/** Throws FLAG_CONTRADICTED for filters beside a view: they would have to be combined with its own. */
export function assertOnlyView(query: Readonly<Record<string, unknown>>, isWatching: boolean): void {
  const isGiven = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);
  const other = Object.keys(query).find((name) => !combined.includes(name) && isGiven(query[name]));
  const flag = other === 'states' ? '--state' : `--${other?.replace('_', '-')}`;
  if (other !== undefined) throw vpError('FLAG_CONTRADICTED', { flag, other: '--view' });
  if (isWatching) throw vpError('FLAG_CONTRADICTED', { flag: '--view', other: '--watch' });
}

/** Throws VIEW_UNKNOWN, VIEW_AMBIGUOUS, VIEW_OF_OTHER_PAGE. */
export async function readViewQuery(
  client: Client,
  { view: text, instance: selected }: { readonly view: string; readonly instance: string | undefined },
  nowMs: number,
): Promise<RunsFilter> {
  const { instance_id: instance } = await selectInstance(client, selected);
  const { find, result, scenario, since } = await readViewFilters(client.views, instance, text, 'runs');
  return toRunsFilter({ instance, find, result, scenario, since }, nowMs);
}
