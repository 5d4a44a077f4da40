/** What many runs say: comparisons and health. */
import type { RunComparison, TargetVersionEntry } from '../contract/comparison-api.ts';
import type { ScenarioHealthDocument, ScenarioHealthList } from '../contract/health-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

/** A version of the target, a branch as CI systems name it, or a period in RFC 3339 whose end is now by default. */
export type ComparedSide =
  | { readonly version: string }
  | { readonly branch: string }
  | { readonly since: string; readonly until?: string | undefined };

export type ComparisonClient = {
  compare(instance: string, base: ComparedSide, head: ComparedSide, options?: CallOptions): Promise<RunComparison>;
  /** The two newest versions of the target. Throws COMPARISON_VERSIONS_MISSING. */
  compareNewest(instance: string, options?: CallOptions): Promise<RunComparison>;
  /** The newest first. */
  listTargetVersions(instance: string, options?: CallOptions): Promise<readonly TargetVersionEntry[]>;
};

function toQuery(name: 'base' | 'head', side: ComparedSide): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(side).map(([key, value]) => [`${name}_${key}`, value]));
}

export function createComparisonClient({ json }: Transport): ComparisonClient {
  const isComparison = createObjectGuard<RunComparison>('base', 'head', 'scenarios');
  return {
    compare(instance, base, head, options) {
      const query = { ...toQuery('base', base), ...toQuery('head', head) };
      return json(
        { method: 'GET', path: apiPath('instances', instance, 'comparison'), query, ...options },
        isComparison,
      );
    },
    compareNewest: (instance, options) =>
      json({ method: 'GET', path: apiPath('instances', instance, 'comparison'), ...options }, isComparison),
    async listTargetVersions(instance, options) {
      const path = apiPath('instances', instance, 'target-versions');
      return (await json({ method: 'GET', path, ...options }, createPageTypeGuard<TargetVersionEntry>())).items;
    },
  };
}

export type HealthClient = {
  list(instance: string, options?: CallOptions): Promise<ScenarioHealthList>;
  /** With each check of the scenario. */
  get(instance: string, scenario: string, options?: CallOptions): Promise<ScenarioHealthDocument>;
};

export function createHealthClient({ json }: Transport): HealthClient {
  const isList = createObjectGuard<ScenarioHealthList>('window_runs', 'scenarios');
  const isDocument = createObjectGuard<ScenarioHealthDocument>('scenario_id', 'checks');
  return {
    list: (instance, options) =>
      json({ method: 'GET', path: apiPath('instances', instance, 'health'), ...options }, isList),
    get: (instance, scenario, options) =>
      json({ method: 'GET', path: apiPath('instances', instance, 'health', scenario), ...options }, isDocument),
  };
}
