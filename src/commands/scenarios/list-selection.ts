/** Which scenarios `vp scenarios list` lists: by its flags, or by a saved view. */
import type { Client } from '../../client/client.ts';
import { findSearchedPath, listIdsOfPath, matchesSearch } from '../../client/scenario-search.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { vpError } from '../../errors/vp-error.ts';
import { escapeUnsafeLine } from '../../report/escape-unsafe.ts';
import { readViewFilters } from '../views/view-flags.ts';

type ListFilters = {
  readonly tag: readonly string[];
  readonly owner: string | undefined;
  readonly deleted: boolean;
  readonly view: string | undefined;
};

type ScenarioSelection = {
  readonly isDeleted: boolean;
  matches(entry: ScenarioEntry): boolean;
  /** `has the tag smoke`, behind "no scenario". Empty where all are selected. */
  readonly description: string;
};

/** Throws FLAG_CONTRADICTED for filters beside a view: they would have to be combined with its own. */
export function assertNoListFilter({ tag, owner, deleted }: ListFilters): void {
  const [other] = [
    ...(tag.length === 0 ? [] : ['--tag']),
    ...(owner === undefined ? [] : ['--owner']),
    ...(deleted ? ['--deleted'] : []),
  ];
  if (other !== undefined) throw vpError('FLAG_CONTRADICTED', { flag: other, other: '--view' });
}

/** Throws VIEW_UNKNOWN, VIEW_AMBIGUOUS, VIEW_OF_OTHER_PAGE. */
export async function readSelection(
  client: Client,
  instance: string,
  filters: ListFilters,
): Promise<ScenarioSelection> {
  const { tag, owner, deleted, view } = filters;
  if (view !== undefined) return readViewSelection(client, instance, view);
  return {
    isDeleted: deleted,
    description: describeFilters(filters),
    matches: (entry) =>
      (tag.length === 0 || entry.tags.some((name) => tag.includes(name))) &&
      (owner === undefined || entry.owner === owner),
  };
}

/** As the page Scenarios applies it. */
async function readViewSelection(client: Client, instance: string, view: string): Promise<ScenarioSelection> {
  const { find = '', deleted } = await readViewFilters(client.views, instance, view, 'scenarios');
  const isDeleted = deleted !== undefined;
  const path = findSearchedPath(find);
  const ids = path === undefined ? undefined : await listIdsOfPath(client, instance, path, { isDeleted });
  return {
    isDeleted,
    description: `is in the view ${escapeUnsafeLine(view)}`,
    matches: (entry) => matchesSearch(entry, find, ids),
  };
}

function describeFilters({ tag, owner }: ListFilters): string {
  const parts = [
    ...(tag.length === 0 ? [] : [`the tag ${tag.map(escapeUnsafeLine).join(' or ')}`]),
    ...(owner === undefined ? [] : [`the owner ${escapeUnsafeLine(owner)}`]),
  ];
  return parts.length === 0 ? '' : `has ${parts.join(' and ')}`;
}
