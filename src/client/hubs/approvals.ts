/** Calls of a hub that wait for an approval; `hub` is a slug. */
import type {
  DecideHubApprovalRequest,
  HubApproval,
  HubApprovalDetails,
  HubApprovalQuery,
} from '../../contract/hubs/approvals-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from '../transport/api-call.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

export type HubApprovalsClient = {
  /** Newest first; those that are open, unless the query says otherwise. */
  list(hub: string, options?: CallOptions & HubApprovalQuery): Promise<readonly HubApproval[]>;
  get(hub: string, approval: string, options?: CallOptions): Promise<HubApprovalDetails>;
  decide(hub: string, approval: string, input: DecideHubApprovalRequest): Promise<HubApprovalDetails>;
};

export function createHubApprovalsClient({ json }: Transport): HubApprovalsClient {
  const path = (hub: string, ...segments: readonly string[]): string => apiPath('hubs', hub, 'approvals', ...segments);
  const isDetails = createObjectGuard<HubApprovalDetails>('approval', 'state', 'lines');
  return {
    async list(hub, { state, limit, ...options } = {}) {
      const request = { method: 'GET', path: path(hub), query: { state, limit }, ...options } as const;
      return (await json(request, createPageTypeGuard<HubApproval>())).items;
    },
    get: (hub, approval, options) => json({ method: 'GET', path: path(hub, approval), ...options }, isDetails),
    decide: (hub, approval, body) => json({ method: 'POST', path: path(hub, approval), body }, isDetails),
  };
}
