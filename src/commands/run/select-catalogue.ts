/** The scenarios to request from an instance: of its catalogue by ID or tag, and texts of files. */
import type { Client } from '../../client/client.ts';
import type { CreateRunsRequest } from '../../contract/api.ts';
import { parseFile, requireUsableFiles } from '../scenarios/read-scenarios.ts';
import { readScenarioFiles } from '../scenarios/scenario-files.ts';
import type { RunSession } from './run-session.ts';
import { assertKnownTags } from './select-local.ts';
import type { Selection } from './selection.ts';

/** `text` is undefined for a scenario of the catalogue. */
export type RequestedScenario = { readonly id: string; readonly text: string | undefined };

/**
 * Files first, then IDs, then tags; each ID once. Files are parsed here, so that errors are reported with their position;
 * only the control plane knows which placeholders are allowed.
 */
export async function selectFromCatalogue(
  { paths, ids, tags }: Selection,
  instance: string,
  client: Client,
  { json, environment, collector, signal }: RunSession,
): Promise<RequestedScenario[]> {
  const parsed = readScenarioFiles(paths, environment.cwd).map((file) => parseFile(file, { variables: 'any' }));
  const files = await requireUsableFiles(parsed, json, environment);
  for (const { file, text, scenario } of files) collector.sources.set(scenario.id, { file, text });
  const catalogueIds = [...ids, ...(await findIdsByTags(tags, instance, client, signal))];
  const fileTexts = files.map(({ scenario, text }) => ({ id: scenario.id, text }));
  const unique = [...new Set(catalogueIds)].filter((id) => !fileTexts.some((text) => text.id === id));
  return [...fileTexts, ...unique.map((id) => ({ id, text: undefined }))];
}

async function findIdsByTags(
  tags: readonly string[],
  instance: string,
  { scenarios }: Client,
  signal: AbortSignal,
): Promise<string[]> {
  if (tags.length === 0) return [];
  const all = await scenarios.listAll(instance, { signal });
  assertKnownTags(
    tags,
    all.flatMap((entry) => entry.tags),
    `instance ${instance}`,
  );
  return all.flatMap((entry) => (entry.tags.some((tag) => tags.includes(tag)) ? entry.scenario_id : []));
}

/** The API accepts a thousand scenarios per request, and the control plane's listener 8 MiB. */
const maxScenariosPerRequest = 1000;
const maxCharactersPerRequest = 1_000_000;

/** `requested`, repeated `sets` times, in requests within the limits. */
export function* splitIntoRequests(
  requested: readonly RequestedScenario[],
  sets: number,
): Generator<CreateRunsRequest['scenarios']> {
  let request: CreateRunsRequest['scenarios'] = [];
  let characters = 0;
  for (let position = 0; position < requested.length * sets; position += 1) {
    const scenario = requested[position % requested.length];
    if (!scenario) return;
    const size = scenario.text?.length ?? 0;
    if (
      request.length === maxScenariosPerRequest ||
      (request.length > 0 && characters + size > maxCharactersPerRequest)
    ) {
      yield request;
      request = [];
      characters = 0;
    }
    request.push(scenario.text === undefined ? { id: scenario.id } : { text: scenario.text });
    characters += size;
  }
  if (request.length > 0) yield request;
}
