/** What the search of the page Scenarios, and of its saved views, selects. */
import type { ScenarioEntry } from '../contract/api.ts';
import type { Client } from './client.ts';
import { parseFindQuery } from './find-query.ts';

const noIds: ReadonlySet<string> = new Set();

function lower(text: string): string {
  return text.toLowerCase();
}

/** The path whose requests `searchText` is about. Entries do not name their requests: the control plane finds them. */
export function findSearchedPath(searchText: string): string | undefined {
  const { path, text = [] } = parseFindQuery(searchText);
  return path ?? text.find((word) => word.startsWith('/'));
}

/** The scenarios that have a request to `path`, or the deleted ones that had. */
export async function listIdsOfPath(
  { scenarios }: Pick<Client, 'scenarios'>,
  instance: string,
  path: string,
  { isDeleted, signal }: { readonly isDeleted: boolean; readonly signal?: AbortSignal },
): Promise<ReadonlySet<string>> {
  const filter = { path, ...(signal ? { signal } : {}) };
  const entries = await (isDeleted ? scenarios.listDeleted(instance, filter) : scenarios.listAll(instance, filter));
  return new Set(entries.map(({ scenario_id: id }) => id));
}

/**
 * Returns true if each text of `searchText` is in the ID, the title, the owner or a tag, and its terms hold (find-query.ts).
 * `idsOfPath`: the scenarios that have a request to the path in `searchText`.
 */
export function matchesSearch(
  { scenario_id: id, title, tags, owner = '' }: ScenarioEntry,
  searchText: string,
  idsOfPath: ReadonlySet<string> = noIds,
): boolean {
  const { text = [], tag = [], path, owner: ownerTerm } = parseFindQuery(searchText);
  const isFound = (word: string): boolean =>
    [id, title, owner, ...tags].some((field) => lower(field).includes(lower(word))) ||
    (word.startsWith('/') && idsOfPath.has(id));
  return (
    text.every(isFound) &&
    tag.every((name) => tags.includes(name)) &&
    (ownerTerm === undefined || lower(ownerTerm) === lower(owner)) &&
    (path === undefined || idsOfPath.has(id))
  );
}
