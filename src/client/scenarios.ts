import type { ScenarioDocument, ScenarioEntry, WriteScenarioRequest } from '../contract/api.ts';
import { apiPath, type CallOptions, createPageGuard, type Page, type PageParams } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type ScenariosClient = {
  list(instance: string, page?: PageParams, options?: CallOptions): Promise<Page<ScenarioEntry>>;
  /** All pages. */
  listAll(instance: string, options?: CallOptions): Promise<ScenarioEntry[]>;
  get(instance: string, scenario: string, revision?: number, options?: CallOptions): Promise<ScenarioDocument>;
  /** Newest first. */
  listRevisions(instance: string, scenario: string, options?: CallOptions): Promise<readonly ScenarioEntry[]>;
  write(
    instance: string,
    scenario: string,
    input: WriteScenarioRequest,
    options?: CallOptions,
  ): Promise<ScenarioDocument>;
  remove(instance: string, scenario: string, options?: CallOptions): Promise<void>;
};

export function createScenariosClient({ json, noContent: nothing }: Transport): ScenariosClient {
  const isDocument = createObjectGuard<ScenarioDocument>('scenario_id', 'revision', 'text');
  const isEntries = createPageGuard<ScenarioEntry>();
  const scenarioPath = (instance: string, ...segments: readonly string[]) =>
    apiPath('instances', instance, 'scenarios', ...segments);
  const list: ScenariosClient['list'] = (instance, page = {}, options) =>
    json({ method: 'GET', path: scenarioPath(instance), query: { ...page }, ...options }, isEntries);
  return {
    list,
    async listAll(instance, options) {
      const entries: ScenarioEntry[] = [];
      let cursor: string | undefined;
      do {
        const page: Page<ScenarioEntry> = await list(instance, { limit: 200, cursor }, options);
        entries.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return entries;
    },
    get: (instance, scenario, revision, options) =>
      json({ method: 'GET', path: scenarioPath(instance, scenario), query: { revision }, ...options }, isDocument),
    listRevisions: async (instance, scenario, options) =>
      (await json({ method: 'GET', path: scenarioPath(instance, scenario, 'revisions'), ...options }, isEntries)).items,
    write: (instance, scenario, body, options) =>
      json({ method: 'PUT', path: scenarioPath(instance, scenario), body, ...options }, isDocument),
    remove: (instance, scenario, options) =>
      nothing({ method: 'DELETE', path: scenarioPath(instance, scenario), ...options }),
  };
}
