/** Policy, tools and audit of a hub for people; each call checks the caller's current membership. */
import type { Static } from '@sinclair/typebox';
import type { AuditCall, AuditStorageStatus } from '../../contract/hubs/audit-api.ts';
import type {
  ApproveHubToolRequest,
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrialResult,
  HubTool,
  HubToolQuery,
  UpdateHubPolicyRequest,
} from '../../contract/hubs/policy-api.ts';
import type { HubBudgetList, HubUsage } from '../../contract/hubs/usage-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import type { Database } from '../../store/database.ts';
import { type AuthorizeInHub, authorizeInHub } from '../access/permissions.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditSearch } from '../audit/audit-search.ts';
import type { AuditSearchPage } from '../audit/read-calls.ts';
import { HubBudgets } from '../budgets/hub-budgets.ts';
import type { PreparedChange } from '../changes/hub-change.ts';
import type { ConnectionRepository, UpstreamTool } from '../connections/connection.ts';
import type { CallPolicy } from './call-policy.ts';
import { DefinitionApprovals, type WaitingTool } from './definition-approvals.ts';
import { DefinitionPins } from './definition-pins.ts';
import { createItemPins } from './item-pins.ts';
import { type AuditRange, type AuditTail, MemberAudit, type UsageQuery } from './member-audit.ts';
import { PolicyChanges } from './policy-changes.ts';
import { PolicyEngine } from './policy-engine.ts';
import { PolicyStore } from './policy-store.ts';

export type GovernanceDependencies = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly audit: AuditLog;
  readonly connectionRepository: Pick<ConnectionRepository, 'listEnabled'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'after'>;
  /** The tools of the memory service, which have an address of their own too. */
  readonly memoryTools?: readonly UpstreamTool[] | undefined;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
  readonly onError: (error: unknown) => void;
};

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export type GovernanceService = {
  /** For the gateway. */
  readonly policy: Required<CallPolicy>;
  getPolicy(caller: PersonCaller, hub: string): Promise<HubPolicy>;
  /** Throws POLICY_INVALID, POLICY_REVISION_OTHER, POLICY_TOOL_UNKNOWN, POLICY_CALLER_UNKNOWN. */
  setPolicy(caller: PersonCaller, hub: string, input: UpdateHubPolicyRequest): Promise<HubPolicy>;
  /** The same as a change that is made together with others. The hub may be one that an earlier change creates. */
  preparePolicyChange(
    caller: PersonCaller,
    hub: string,
    input: UpdateHubPolicyRequest,
  ): Promise<PreparedChange<HubPolicy>>;
  /** Replays the last day unless `sinceMs` is set. Throws POLICY_INVALID. */
  tryPolicy(
    caller: PersonCaller,
    hub: string,
    document: HubPolicyDocument,
    sinceMs?: number,
  ): Promise<Static<typeof HubPolicyTrialResult>>;
  /** Tools, or definitions of another kind; those that wait for approval come first. */
  listTools(caller: PersonCaller, hub: string, query?: HubToolQuery): Promise<HubTool[]>;
  /** Throws TOOL_PIN_UNKNOWN, TOOL_PIN_APPROVED, TOOL_PIN_TOO_LARGE, TOOL_PIN_CHANGED. */
  approveTool(caller: PersonCaller, hub: string, input: ApproveHubToolRequest): Promise<HubTool>;
  /** For owners. Throws what `approveTool` throws unless this definition of a tool waits. */
  assertWaiting(caller: PersonCaller, hub: string, input: WaitingTool): Promise<void>;
  /** Owners see all calls, other members their own. */
  searchAudit(caller: PersonCaller, hub: string, query: AuditSearch): Promise<AuditSearchPage>;
  exportAudit(caller: PersonCaller, hub: string, range: AuditRange): Promise<AsyncIterable<readonly AuditCall[]>>;
  tailAudit(caller: PersonCaller, hub: string, listener: (call: AuditCall) => void): Promise<AuditTail>;
  getAuditState(caller: PersonCaller, hub: string): Promise<AuditStorageStatus>;
  /** Of the last seven days, unless times are set. Owners see all calls, other members their own. */
  getUsage(caller: PersonCaller, hub: string, query: UsageQuery): Promise<HubUsage>;
  /** What was used of the hub’s budgets. Owners see everybody’s use, other members their own and that of the whole hub. */
  getBudgets(caller: PersonCaller, hub: string): Promise<HubBudgetList>;
  /** Stores what was used of budgets; call it before the audit is closed. */
  close(): Promise<void>;
};

export function createGovernanceService(dependencies: GovernanceDependencies): GovernanceService {
  const { audit, clock, database, connectionRepository, memoryTools = [], logSecurityEvent } = dependencies;
  const policies = new PolicyStore(dependencies);
  const pins = new DefinitionPins({ ...dependencies, policies }, 'tool');
  const itemPins = createItemPins({ ...dependencies, policies });
  const budgets = new HubBudgets(dependencies);
  const authorize: AuthorizeInHub = (caller, hub, action) =>
    database.read((sql) => authorizeInHub(sql, caller, hub, action));
  const changes = new PolicyChanges({
    ...{ database, authorize, audit, clock, connectionRepository, logSecurityEvent },
    ...{ policies, pins, promptPins: itemPins.byKind.prompt, memoryTools },
  });
  const pinsByKind = { tool: pins, ...itemPins.byKind };
  const approvals = new DefinitionApprovals({ authorize, connectionRepository, pinsByKind, logSecurityEvent });
  const memberAudit = new MemberAudit({ authorize, audit, budgets, policies, clock });
  return {
    policy: new PolicyEngine({ policies, pins, itemPins, budgets, clock }),
    getPolicy: (caller, hub) => changes.get(caller, hub),
    setPolicy: (caller, hub, input) => changes.set(caller, hub, input),
    preparePolicyChange: (caller, hub, input) => changes.prepare(caller, hub, input),
    tryPolicy: (caller, hub, document, sinceMs) => changes.try(caller, hub, document, sinceMs),
    listTools: (caller, hub, query = {}) => approvals.list(caller, hub, query),
    approveTool: (caller, hub, input) => approvals.approve(caller, hub, input),
    assertWaiting: (caller, hub, input) => approvals.assertWaiting(caller, hub, input),
    searchAudit: (caller, hub, query) => memberAudit.search(caller, hub, query),
    exportAudit: (caller, hub, range) => memberAudit.export(caller, hub, range),
    tailAudit: (caller, hub, listener) => memberAudit.tail(caller, hub, listener),
    getAuditState: (caller, hub) => memberAudit.getState(caller, hub),
    getUsage: (caller, hub, query) => memberAudit.getUsage(caller, hub, query),
    getBudgets: (caller, hub) => memberAudit.getBudgets(caller, hub),
    close: () => budgets.close(),
  };
}
