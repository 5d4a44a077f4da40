import type { Static } from '@sinclair/typebox';
import type {
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrial,
  HubPolicyWrite,
  HubTool,
  HubToolApproval,
} from '../contract/hub-policy-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage } from './call.ts';
import type { Transport } from './transport.ts';

/** What a hub allows, and what its tools say of themselves; `hub` is a slug. */
export type HubPolicyClient = {
  policy(hub: string, giving?: Giving): Promise<HubPolicy>;
  setPolicy(hub: string, input: HubPolicyWrite): Promise<HubPolicy>;
  /** What it would have made of the calls since then; of the last day unless said otherwise. */
  tryPolicy(hub: string, document: HubPolicyDocument, since?: string): Promise<HubPolicyTrial>;
  /** Those held back first. */
  tools(hub: string, giving?: Giving): Promise<readonly HubTool[]>;
  approveTool(hub: string, input: Static<typeof HubToolApproval>): Promise<HubTool>;
};

const trialLimitMs = 120_000;

/** The calls of contract/hub-policy-api.ts. */
export function hubPolicyOf({ json }: Transport): HubPolicyClient {
  const path = (hub: string, ...more: readonly string[]): string => at('hubs', hub, ...more);
  const isPolicy = objectWith<HubPolicy>('revision', 'document');
  const isTrial = objectWith<HubPolicyTrial>('calls', 'refused', 'allowed');
  const isTool = objectWith<HubTool>('connection', 'tool', 'state');
  return {
    policy: (hub, giving) => json({ method: 'GET', path: path(hub, 'policy'), ...giving }, isPolicy),
    setPolicy: (hub, body) => json({ method: 'PUT', path: path(hub, 'policy'), body }, isPolicy),
    tryPolicy: (hub, document, since) => {
      const body = { document, ...(since === undefined ? {} : { since }) };
      return json({ method: 'POST', path: path(hub, 'policy', 'trial'), body, limitMs: trialLimitMs }, isTrial);
    },
    tools: async (hub, giving) =>
      (await json({ method: 'GET', path: path(hub, 'tools'), ...giving }, isPage<HubTool>())).items,
    approveTool: (hub, body) => json({ method: 'POST', path: path(hub, 'tools', 'approve'), body }, isTool),
  };
}
