/** Policy, tools and audit of a hub for people; each call checks the caller's current membership. */
import type { Static } from '@sinclair/typebox';
import type { AuditCall, AuditStatus } from '../../contract/hubs/audit-api.ts';
import type {
  ApproveHubToolRequest,
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrialResult,
  HubTool,
  UpdateHubPolicyRequest,
} from '../../contract/hubs/policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import type { ToolPinRow } from '../../store/control/hubs/tool-pins.ts';
import type { Database } from '../../store/database.ts';
import { authorizeInHub, type HubAction, type HubMembership, isAllowedInHub } from '../access/permissions.ts';
import type { AuditLog, AuditPage } from '../audit/audit-log.ts';
import type { AuditSearch } from '../audit/audit-search.ts';
import type { CallPolicy, ConnectionRepository } from '../types.ts';
import { createPolicyEngine } from './policy-engine.ts';
import { PolicyStore } from './policy-store.ts';
import { runPolicyTrial } from './policy-trial.ts';
import { diffDefinitions } from './tool-definition.ts';
import { isApproved, parseFlags, ToolPins } from './tool-pins.ts';

export type GovernanceDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly audit: AuditLog;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
};

export type AuditRange = { readonly fromMs: number; readonly toMs: number };

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type GovernanceService = {
  /** For the gateway. */
  readonly policy: Required<CallPolicy>;
  getPolicy(caller: PersonCaller, hub: string): Promise<HubPolicy>;
  /** Throws POLICY_INVALID, POLICY_REVISION_OTHER. */
  setPolicy(caller: PersonCaller, hub: string, input: UpdateHubPolicyRequest): Promise<HubPolicy>;
  /** Replays the last day unless `sinceMs` is set. Throws POLICY_INVALID. */
  tryPolicy(
    caller: PersonCaller,
    hub: string,
    document: HubPolicyDocument,
    sinceMs?: number,
  ): Promise<Static<typeof HubPolicyTrialResult>>;
  /** Tools that wait for approval come first. */
  listTools(caller: PersonCaller, hub: string): Promise<HubTool[]>;
  /** Throws TOOL_PIN_UNKNOWN, TOOL_PIN_CHANGED. */
  approveTool(caller: PersonCaller, hub: string, input: ApproveHubToolRequest): Promise<HubTool>;
  /** Owners see all calls, other members their own. */
  searchAudit(caller: PersonCaller, hub: string, query: AuditSearch): Promise<AuditPage>;
  exportAudit(caller: PersonCaller, hub: string, range: AuditRange): Promise<AsyncIterable<readonly AuditCall[]>>;
  /** Returns a function that stops the listener. */
  tailAudit(caller: PersonCaller, hub: string, listener: (call: AuditCall) => void): Promise<() => void>;
  getAuditState(caller: PersonCaller, hub: string): Promise<AuditStatus>;
};

const dayMs = 86_400_000;

export function createGovernanceService(dependencies: GovernanceDependencies): GovernanceService {
  const { audit, clock, database, connectionRepository, logSecurityEvent } = dependencies;
  const policies = new PolicyStore(dependencies);
  const pins = new ToolPins(dependencies);
  const authorize = (caller: PersonCaller, hub: string, action: HubAction): Promise<HubMembership> =>
    database.read((sql) => authorizeInHub(sql, caller, hub, action));
  return {
    policy: createPolicyEngine({ policies, pins, clock }),
    getPolicy: async (caller, hub) => policies.get((await authorize(caller, hub, 'policy.see')).hubId),
    async setPolicy(caller, hub, { document, if_revision: expectedRevision }) {
      const { hubId } = await authorize(caller, hub, 'policy.manage');
      const policy = await policies.set(hubId, document, caller.name, expectedRevision);
      logSecurityEvent({
        event: 'hub_policy_changed',
        level: 'info',
        hub: hubId,
        revision: policy.revision,
        by: caller.personId,
      });
      return policy;
    },
    async tryPolicy(caller, hub, document, sinceMs) {
      const { hubId } = await authorize(caller, hub, 'policy.manage');
      const toMs = clock.nowMs();
      return runPolicyTrial({ audit, pins, connectionRepository: connectionRepository }, hubId, document, {
        fromMs: sinceMs ?? toMs - dayMs,
        toMs,
      });
    },
    listTools: async (caller, hub) =>
      listTools({ connectionRepository, pins }, (await authorize(caller, hub, 'policy.see')).hubId),
    async approveTool(caller, hub, input) {
      const { hubId } = await authorize(caller, hub, 'tool.approve');
      const { connection, tool, digest } = input;
      const existing = (await connectionRepository.listEnabled(hubId)).find(({ name }) => name === connection);
      if (!existing) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection });
      const pin = await pins.approve(existing, tool, digest, caller.name);
      logSecurityEvent({
        event: 'hub_tool_approved',
        level: 'info',
        hub: hubId,
        connection,
        tool,
        by: caller.personId,
      });
      return toHubTool(existing.name, pin);
    },
    ...createAuditMethods(audit, authorize),
  };
}

type AuditMethods = Pick<GovernanceService, 'searchAudit' | 'exportAudit' | 'tailAudit' | 'getAuditState'>;
type Authorize = (caller: PersonCaller, hub: string, action: HubAction) => Promise<HubMembership>;

function createAuditMethods(audit: AuditLog, authorize: Authorize): AuditMethods {
  /** The only person whose calls the caller may see; undefined for all. */
  const getPersonFilter = ({ role }: HubMembership, { personId }: PersonCaller): string | undefined =>
    isAllowedInHub(role, 'audit.see_all') ? undefined : personId;
  return {
    async searchAudit(caller, hub, query) {
      const membership = await authorize(caller, hub, 'audit.see');
      const personFilter = getPersonFilter(membership, caller);
      if (personFilter !== undefined && query.person !== undefined && query.person !== personFilter)
        return { items: [], next: undefined };
      return audit.search(membership.hubId, { ...query, person: personFilter ?? query.person });
    },
    exportAudit: async (caller, hub, range) =>
      audit.calls((await authorize(caller, hub, 'audit.see_all')).hubId, range),
    async tailAudit(caller, hub, listener) {
      const membership = await authorize(caller, hub, 'audit.see');
      const personFilter = getPersonFilter(membership, caller);
      return audit.tail(membership.hubId, (call) => {
        if (personFilter === undefined || call.person_id === personFilter) listener(call);
      });
    },
    getAuditState: async (caller, hub) => audit.state((await authorize(caller, hub, 'audit.see')).hubId),
  };
}

async function listTools(
  {
    connectionRepository,
    pins,
  }: { connectionRepository: GovernanceDependencies['connectionRepository']; pins: ToolPins },
  hubId: string,
) {
  const tools: HubTool[] = [];
  for (const { id, name } of await connectionRepository.listEnabled(hubId))
    for (const pin of (await pins.get(id)).values()) tools.push(toHubTool(name, pin));
  const sortKey = ({ state, connection, tool }: HubTool): string => `${state === 'held' ? 0 : 1} ${connection} ${tool}`;
  return tools.sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

function toHubTool(connection: string, pin: ToolPinRow): HubTool {
  const [approved, waiting] = [parseDefinition(pin.approved), parseDefinition(pin.waiting)];
  return {
    connection,
    tool: pin.tool,
    state: isApproved(pin) ? 'approved' : 'held',
    approved,
    waiting,
    waiting_digest: pin.waiting_digest,
    difference: waiting === null ? [] : diffDefinitions(approved ?? {}, waiting),
    flags: parseFlags(pin),
    seen_at: new Date(pin.seen_at_ms).toISOString(),
    changed_at: pin.changed_at_ms === null ? null : new Date(pin.changed_at_ms).toISOString(),
    approved_by: pin.approved_by,
  };
}

function parseDefinition(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
