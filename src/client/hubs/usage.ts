import type { HubUsage, UsageGrouping } from '../../contract/hubs/usage-api.ts';
import { apiPath, type CallOptions } from '../transport/api-call.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

export type HubUsageParams = {
  readonly by?: UsageGrouping;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
};
/** How a hub is used; `hub` is a slug. Owners of the hub see all calls, others their own. */
export type HubUsageClient = { get(hub: string, params?: HubUsageParams & CallOptions): Promise<HubUsage> };

const countTimeoutMs = 60_000;

export function createHubUsageClient({ json }: Transport): HubUsageClient {
  const isUsage = createObjectGuard<HubUsage>('by', 'items', 'total');
  return {
    get: (hub, { by, from, to, ...options } = {}) => {
      const query = { by, from, to };
      const path = apiPath('hubs', hub, 'usage');
      return json({ method: 'GET', path, query, timeoutMs: countTimeoutMs, ...options }, isUsage);
    },
  };
}
