import type { AuditCall, AuditFormat, AuditQuery, AuditState } from '../contract/hub-audit-api.ts';
import type {
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrial,
  HubPolicyWrite,
  HubTool,
  HubToolApproval,
} from '../contract/hub-policy-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage, type Page, type PageWanted } from './call.ts';
import type { BodyReader, Transport } from './transport.ts';

/** What is allowed in a hub, and who called what; `hub` is a slug. */
export type HubGovernanceClient = {
  /** Newest first; a page may be short although `next_cursor` is set. */
  audit(hub: string, wanted: AuditQuery & PageWanted, giving?: Giving): Promise<Page<AuditCall>>;
  auditState(hub: string, giving?: Giving): Promise<AuditState>;
  /** The text of an export, as it comes. */
  exportAudit(
    hub: string,
    wanted: Pick<AuditQuery, 'from' | 'to'> & { readonly format: AuditFormat },
    giving?: Giving,
  ): Promise<BodyReader>;
  policy(hub: string, giving?: Giving): Promise<HubPolicy>;
  setPolicy(hub: string, input: HubPolicyWrite): Promise<HubPolicy>;
  tryPolicy(hub: string, document: HubPolicyDocument, since?: string): Promise<HubPolicyTrial>;
  tools(hub: string, giving?: Giving): Promise<readonly HubTool[]>;
  approveTool(hub: string, input: HubToolApproval): Promise<HubTool>;
};

const isPolicy = objectWith<HubPolicy>('revision', 'document');
const isTrial = objectWith<HubPolicyTrial>('calls', 'refused', 'allowed');
const isTool = objectWith<HubTool>('connection', 'tool', 'state');
const isState = objectWith<AuditState>('used_bytes', 'most_bytes');
const path = (hub: string, ...more: readonly string[]): string => at('hubs', hub, ...more);

/** The calls of contract/hub-audit-api.ts and contract/hub-policy-api.ts. */
export function hubGovernanceOf({ json, stream }: Transport): HubGovernanceClient {
  return {
    audit: (hub, query, giving) =>
      json({ method: 'GET', path: path(hub, 'audit'), query, ...giving }, isPage<AuditCall>()),
    auditState: (hub, giving) => json({ method: 'GET', path: path(hub, 'audit', 'state'), ...giving }, isState),
    exportAudit: (hub, query, giving) =>
      stream({ method: 'GET', path: path(hub, 'audit', 'export'), query, headers: { accept: '*/*' }, ...giving }),
    policy: (hub, giving) => json({ method: 'GET', path: path(hub, 'policy'), ...giving }, isPolicy),
    setPolicy: (hub, body) => json({ method: 'PUT', path: path(hub, 'policy'), body }, isPolicy),
    tryPolicy: (hub, document, since) =>
      json(
        {
          method: 'POST',
          path: path(hub, 'policy', 'trial'),
          body: { document, ...(since ? { since } : {}) },
          limitMs: 120_000,
        },
        isTrial,
      ),
    tools: async (hub, giving) =>
      (await json({ method: 'GET', path: path(hub, 'tools'), ...giving }, isPage<HubTool>())).items,
    approveTool: (hub, body) => json({ method: 'POST', path: path(hub, 'tools', 'approve'), body }, isTool),
  };
}
