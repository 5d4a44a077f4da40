import type { Static } from '@sinclair/typebox';
import type {
  ApproveHubToolRequest,
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrialResult,
  HubTool,
  HubToolQuery,
  UpdateHubPolicyRequest,
} from '../../contract/hubs/policy-api.ts';
import type { HubToolVerification, VerifyHubToolRequest } from '../../contract/hubs/tool-verification-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from '../transport/api-call.ts';
import { createObjectGuard } from '../transport/json-response.ts';
import type { Transport } from '../transport/transport.ts';

/** Policy and tools of a hub; `hub` is a slug. */
export type HubPolicyClient = {
  getPolicy(hub: string, options?: CallOptions): Promise<HubPolicy>;
  setPolicy(hub: string, input: UpdateHubPolicyRequest): Promise<HubPolicy>;
  /** How the policy would have decided the calls since then; by default those of the last day. */
  tryPolicy(hub: string, document: HubPolicyDocument, since?: string): Promise<HubPolicyTrialResult>;
  /** Tools, unless another kind is named; held ones first. */
  listTools(hub: string, options?: CallOptions & HubToolQuery): Promise<readonly HubTool[]>;
  /** Runs the scenarios of a tool against its waiting definition. */
  verifyTool(hub: string, input: VerifyHubToolRequest, options?: CallOptions): Promise<HubToolVerification>;
  approveTool(hub: string, input: Static<typeof ApproveHubToolRequest>): Promise<HubTool>;
};

const trialTimeoutMs = 120_000;
/** Scenarios wait for their tools. */
const verifyTimeoutMs = 30 * 60_000;

export function createHubPolicyClient({ json }: Transport): HubPolicyClient {
  const path = (hub: string, ...segments: readonly string[]): string => apiPath('hubs', hub, ...segments);
  const isPolicy = createObjectGuard<HubPolicy>('revision', 'document');
  const isTrial = createObjectGuard<HubPolicyTrialResult>('calls', 'refused', 'allowed');
  const isVerification = createObjectGuard<HubToolVerification>('digest', 'results');
  const isTool = createObjectGuard<HubTool>('connection', 'tool', 'state');
  return {
    getPolicy: (hub, options) => json({ method: 'GET', path: path(hub, 'policy'), ...options }, isPolicy),
    setPolicy: (hub, body) => json({ method: 'PUT', path: path(hub, 'policy'), body }, isPolicy),
    tryPolicy: (hub, document, since) => {
      const body = { document, ...(since === undefined ? {} : { since }) };
      return json({ method: 'POST', path: path(hub, 'policy', 'trial'), body, timeoutMs: trialTimeoutMs }, isTrial);
    },
    async listTools(hub, { kind, state, ...options } = {}) {
      const request = { method: 'GET', path: path(hub, 'tools'), query: { kind, state }, ...options } as const;
      return (await json(request, createPageTypeGuard<HubTool>())).items;
    },
    verifyTool: (hub, body, options) =>
      json(
        { method: 'POST', path: path(hub, 'tools', 'verify'), body, timeoutMs: verifyTimeoutMs, ...options },
        isVerification,
      ),
    approveTool: (hub, body) => json({ method: 'POST', path: path(hub, 'tools', 'approve'), body }, isTool),
  };
}
