import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Client } from '../../client/client.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { computeCoverage, type DocumentCoverage } from '../../import/openapi/coverage.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { parseScenarioText } from '../scenarios/parse-scenario-text.ts';
import { useClient } from '../session/client.ts';
import { type ChosenDocument, parseCoverageDocument } from './api-document.ts';

/** How many texts are loaded at once. */
const maxRequests = 6;

export type CatalogueCoverage = DocumentCoverage & {
  readonly title: string;
  readonly scenarioCount: number;
  /** Ids of scenarios that this version of the language refuses: they cover nothing. */
  readonly unreadable: readonly string[];
};

async function loadScenarios(
  { scenarios }: Client,
  instance: string,
  entries: readonly ScenarioEntry[],
  signal: AbortSignal,
): Promise<readonly (Scenario | undefined)[]> {
  const results: (Scenario | undefined)[] = [];
  const rest = [...entries.entries()];
  const load = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
      const [index, { scenario_id: id }] = next;
      const { text } = await scenarios.get(instance, id, undefined, { signal });
      results[index] = parseScenarioText(text).scenario;
    }
  };
  await Promise.all(Array.from({ length: maxRequests }, load));
  return results;
}

/** What the catalogue checks of a document: the numbers of `vp coverage` for a folder with the same scenarios. */
export function useCoverage(
  instance: string,
  document: ChosenDocument,
  entries: readonly ScenarioEntry[],
): UseQueryResult<CatalogueCoverage> {
  const client = useClient();
  const revisions = entries.map(({ scenario_id: id, revision }) => `${id} ${revision}`);
  return useQuery({
    queryKey: ['coverage', instance, document.name, document.chosenAtMs, revisions],
    retry: false,
    queryFn: async ({ signal }) => {
      const description = await parseCoverageDocument(document.name, document.text);
      const loaded = await loadScenarios(client, instance, entries, signal);
      const readable = loaded.filter((scenario) => scenario !== undefined);
      const unreadable = entries.filter((_, index) => loaded[index] === undefined);
      return {
        ...computeCoverage(description, readable),
        title: description.title,
        scenarioCount: readable.length,
        unreadable: unreadable.map(({ scenario_id: id }) => id),
      };
    },
  });
}
