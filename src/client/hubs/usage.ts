import type { HubBudgetList, HubUsage, UsageGrouping } from '../../contract/hubs/usage-api.ts';
import { apiPath, type CallOptions } from '../transport/api-call.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

export type HubUsageParams = {
  readonly by?: UsageGrouping;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};
/** How a hub is used; `hub` is a slug. Owners of the hub see all calls, others their own. */
export type HubUsageClient = {
  get(hub: string, params?: HubUsageParams & CallOptions): Promise<HubUsage>;
  /** What was used of budgets in the present day or month. */
  listBudgets(hub: string, options?: CallOptions): Promise<HubBudgetList>;
};

const countTimeoutMs = 60_000;

export function createHubUsageClient({ json }: Transport): HubUsageClient {
  const isUsage = createObjectGuard<HubUsage>('by', 'items', 'total');
  const isBudgets = createObjectGuard<HubBudgetList>('budgets', 'items');
  return {
    listBudgets: (hub, options = {}) =>
      json({ method: 'GET', path: apiPath('hubs', hub, 'budgets'), ...options }, isBudgets),
    get: (hub, { by, from, to, ...options } = {}) => {
      const query = { by, from, to };
      const path = apiPath('hubs', hub, 'usage');
      return json({ method: 'GET', path, query, timeoutMs: countTimeoutMs, ...options }, isUsage);
    },
  };
}
