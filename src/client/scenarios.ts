import type { ScenarioDocument, ScenarioEntry, ScenarioWrite } from '../contract/api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage, type Page, type PageWanted } from './call.ts';
import type { Transport } from './transport.ts';

/** The catalogue of each instance. */
export type ScenariosClient = {
  list(instance: string, page?: PageWanted, giving?: Giving): Promise<Page<ScenarioEntry>>;
  /** Every page, one after the other. */
  all(instance: string, giving?: Giving): Promise<ScenarioEntry[]>;
  get(instance: string, scenario: string, revision?: number, giving?: Giving): Promise<ScenarioDocument>;
  /** Newest first. */
  revisions(instance: string, scenario: string, giving?: Giving): Promise<readonly ScenarioEntry[]>;
  write(instance: string, scenario: string, input: ScenarioWrite, giving?: Giving): Promise<ScenarioDocument>;
  remove(instance: string, scenario: string, giving?: Giving): Promise<void>;
};

/** The calls for scenarios. */
export function scenariosOf({ json, nothing }: Transport): ScenariosClient {
  const isDocument = objectWith<ScenarioDocument>('scenario_id', 'revision', 'text');
  const isEntries = isPage<ScenarioEntry>();
  const base = (instance: string, ...rest: readonly string[]) => at('instances', instance, 'scenarios', ...rest);
  const list: ScenariosClient['list'] = (instance, page = {}, giving) =>
    json({ method: 'GET', path: base(instance), query: { ...page }, ...giving }, isEntries);
  return {
    list,
    async all(instance, giving) {
      const entries: ScenarioEntry[] = [];
      let cursor: string | undefined;
      do {
        const page: Page<ScenarioEntry> = await list(instance, { limit: 200, cursor }, giving);
        entries.push(...page.items);
        cursor = page.next_cursor ?? undefined;
      } while (cursor !== undefined);
      return entries;
    },
    get: (instance, scenario, revision, giving) =>
      json({ method: 'GET', path: base(instance, scenario), query: { revision }, ...giving }, isDocument),
    revisions: async (instance, scenario, giving) =>
      (await json({ method: 'GET', path: base(instance, scenario, 'revisions'), ...giving }, isEntries)).items,
    write: (instance, scenario, body, giving) =>
      json({ method: 'PUT', path: base(instance, scenario), body, ...giving }, isDocument),
    remove: (instance, scenario, giving) => nothing({ method: 'DELETE', path: base(instance, scenario), ...giving }),
  };
}
