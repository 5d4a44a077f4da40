/** Which scenarios are asked for of an instance: its catalogue by ID or tag, and texts of files. */
import type { Client } from '../../client/client.ts';
import type { RunsNew } from '../../contract/api.ts';
import { parseFile, usableFiles } from '../read-scenarios.ts';
import { readScenarioFiles } from '../scenario-files.ts';
import { unknownTag } from './select-local.ts';
import type { RunSession } from './session.ts';
import type { Selection } from './words.ts';

/** One scenario to run. `text` is undefined where the catalogue has it. */
export type Wanted = { readonly id: string; readonly text: string | undefined };

/**
 * Files first, then IDs, then tags; each ID once. Files are read here too, so that what is wrong is told with its place;
 * which of the placeholders may be used only the control plane knows.
 */
export async function selectFromCatalogue(
  { paths, ids, tags }: Selection,
  instance: string,
  client: Client,
  { json, environment, gathering, signal }: RunSession,
): Promise<Wanted[]> {
  const parsed = readScenarioFiles(paths, environment.cwd).map((file) => parseFile(file, { variables: 'any' }));
  const files = await usableFiles(parsed, json, environment);
  for (const { file, text, scenario } of files) gathering.sources.set(scenario.id, { file, text });
  const named = [...ids, ...(await withTags(tags, instance, client, signal))];
  const texts = files.map(({ scenario, text }) => ({ id: scenario.id, text }));
  const unique = [...new Set(named)].filter((id) => !texts.some((text) => text.id === id));
  return [...texts, ...unique.map((id) => ({ id, text: undefined }))];
}

async function withTags(
  tags: readonly string[],
  instance: string,
  { scenarios }: Client,
  signal: AbortSignal,
): Promise<string[]> {
  if (tags.length === 0) return [];
  const all = await scenarios.all(instance, { signal });
  const found = all.filter((entry) => entry.tags.some((tag) => tags.includes(tag)));
  if (found.length > 0) return found.map(({ scenario_id }) => scenario_id);
  throw unknownTag(
    tags,
    all.flatMap((entry) => entry.tags),
    `instance ${instance}`,
  );
}

/** The contract takes a thousand at once, the control plane's listener 8 MiB. */
const mostAtOnce = 1000;
const mostCharacters = 1_000_000;

/** `wanted`, `sets` times over, in requests that are small enough. */
export function* requestsOf(wanted: readonly Wanted[], sets: number): Generator<RunsNew['scenarios']> {
  let request: RunsNew['scenarios'] = [];
  let characters = 0;
  for (let place = 0; place < wanted.length * sets; place += 1) {
    const one = wanted[place % wanted.length];
    if (!one) return;
    const size = one.text?.length ?? 0;
    if (request.length === mostAtOnce || (request.length > 0 && characters + size > mostCharacters)) {
      yield request;
      request = [];
      characters = 0;
    }
    request.push(one.text === undefined ? { id: one.id } : { text: one.text });
    characters += size;
  }
  if (request.length > 0) yield request;
}
