/**
 * Policy, tools and audit of a hub for people; each call checks the caller's current membership.
 *
 * Length: what the roles of a hub may see and change stands in one place.
 */
import { hash } from 'node:crypto';
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
import type { HubBudget, HubBudgetList, HubUsage } from '../../contract/hubs/usage-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import {
  assertAllowedInHub,
  authorizeInHub,
  findMembershipBySlug,
  type HubAction,
  type HubMembership,
  isAllowedInHub,
} from '../access/permissions.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditSearch } from '../audit/audit-search.ts';
import type { AuditSearchPage } from '../audit/read-calls.ts';
import { HubBudgets } from '../budgets/hub-budgets.ts';
import { makeChange, type PreparedChange } from '../changes/hub-change.ts';
import type { ConnectionRepository, UpstreamTool } from '../connections/connection.ts';
import { createUsageReport, type UsageRequest } from '../usage/usage-report.ts';
import type { CallPolicy } from './call-policy.ts';
import { DefinitionPins } from './definition-pins.ts';
import { listDefinitions, toHubTool } from './definition-review.ts';
import { createItemPins } from './item-pins.ts';
import { PolicyEngine } from './policy-engine.ts';
import { assertKnownNames } from './policy-names.ts';
import { PolicyStore } from './policy-store.ts';
import { runPolicyTrial } from './policy-trial.ts';

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

export type AuditRange = { readonly fromMs: number; readonly toMs: number };

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
  /** Throws TOOL_PIN_UNKNOWN, TOOL_PIN_TOO_LARGE, TOOL_PIN_CHANGED. */
  approveTool(caller: PersonCaller, hub: string, input: ApproveHubToolRequest): Promise<HubTool>;
  /** For owners. Throws TOOL_PIN_UNKNOWN, TOOL_PIN_CHANGED unless this definition of a tool waits. */
  assertWaiting(
    caller: PersonCaller,
    hub: string,
    input: Pick<ApproveHubToolRequest, 'connection' | 'tool' | 'digest'>,
  ): Promise<void>;
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

export type UsageQuery = Pick<UsageRequest, 'by'> & {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
};

const dayMs = 86_400_000;

export function createGovernanceService(dependencies: GovernanceDependencies): GovernanceService {
  const { audit, clock, database, connectionRepository, memoryTools = [], logSecurityEvent } = dependencies;
  const policies = new PolicyStore(dependencies);
  const pins = new DefinitionPins({ ...dependencies, policies }, 'tool');
  const itemPins = createItemPins({ ...dependencies, policies });
  const pinsByKind = { tool: pins, ...itemPins.byKind };
  const budgets = new HubBudgets(dependencies);
  const authorize = (caller: PersonCaller, hub: string, action: HubAction): Promise<HubMembership> =>
    database.read((sql) => authorizeInHub(sql, caller, hub, action));
  const preparePolicyChange: GovernanceService['preparePolicyChange'] = async (caller, hub, request) => {
    const { if_revision: expectedRevision, ...input } = request;
    const hubId = await database.read((sql) => {
      const membership = findMembershipBySlug(sql, caller, hub);
      return membership && assertAllowedInHub(membership, hub, 'policy.manage').hubId;
    });
    const promptPins = itemPins.byKind.prompt;
    const names = { database, audit, connectionRepository, pins, promptPins, memoryTools };
    // A hub that does not exist yet has no names to compare with, and one of other people shows none.
    if (hubId !== undefined) await assertKnownNames(names, hubId, (await policies.get(hubId)).document, input);
    const findHubId = (sql: Sql): string => authorizeInHub(sql, caller, hub, 'policy.manage').hubId;
    const change = policies.createChange(findHubId, input.document, caller.name, expectedRevision);
    return (sql) => {
      const changedId = findHubId(sql);
      const finish = change(sql);
      return () => {
        const policy = finish();
        const { revision } = policy;
        const digest = digestText(JSON.stringify(policy.document));
        const details = { hub: changedId, revision, digest, by: caller.personId };
        logSecurityEvent({ event: 'hub_policy_changed', level: 'info', ...details });
        return policy;
      };
    };
  };
  return {
    policy: new PolicyEngine({ policies, pins, itemPins, budgets, clock }),
    getPolicy: async (caller, hub) => policies.get((await authorize(caller, hub, 'policy.see')).hubId),
    async setPolicy(caller, hub, input) {
      await authorize(caller, hub, 'policy.manage');
      return makeChange(database, await preparePolicyChange(caller, hub, input));
    },
    preparePolicyChange,
    async tryPolicy(caller, hub, document, sinceMs) {
      const { hubId } = await authorize(caller, hub, 'policy.manage');
      const toMs = clock.nowMs();
      return runPolicyTrial({ audit, pins, connectionRepository, memoryTools }, hubId, document, {
        fromMs: sinceMs ?? toMs - dayMs,
        toMs,
      });
    },
    listTools: async (caller, hub, query = {}) =>
      listDefinitions(connectionRepository, pinsByKind, (await authorize(caller, hub, 'policy.see')).hubId, query),
    async approveTool(caller, hub, input) {
      const { hubId } = await authorize(caller, hub, 'tool.approve');
      const { connection, kind = 'tool', tool, digest } = input;
      const existing = (await connectionRepository.listEnabled(hubId)).find(({ name }) => name === connection);
      if (!existing) throw vpError('TOOL_PIN_UNKNOWN', { tool: tool.slice(0, 300), connection });
      const pin = await pinsByKind[kind].approve(existing, tool, digest, caller.name);
      logSecurityEvent({
        event: 'hub_tool_approved',
        level: 'info',
        hub: hubId,
        connection,
        kind,
        tool,
        digest,
        by: caller.personId,
      });
      return toHubTool(existing.name, pin);
    },
    async assertWaiting(caller, hub, { connection, tool, digest }) {
      const { hubId } = await authorize(caller, hub, 'tool.approve');
      const existing = (await connectionRepository.listEnabled(hubId)).find(({ name }) => name === connection);
      const pin = existing && (await pins.get(existing.id)).get(tool);
      if (!pin) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection });
      if (pin.waiting_digest !== digest) throw vpError('TOOL_PIN_CHANGED', { tool });
    },
    async getBudgets(caller, hub) {
      const { hubId, role } = await authorize(caller, hub, 'policy.see');
      const policy = await policies.getCompiled(hubId);
      const items = await budgets.list({ id: hubId, slug: hub }, policy);
      const seesAll = isAllowedInHub(role, 'audit.see_all');
      const visible = seesAll ? items : items.filter((item) => isVisibleTo(item, caller));
      return { budgets: [...policy.budgets], items: visible.slice(0, maxListedBudgets) };
    },
    close: () => budgets.close(),
    ...createAuditMethods(audit, authorize, clock),
  };
}

const maxListedBudgets = 1000;

function digestText(text: string): string {
  return hash('sha256', text, 'base64url');
}

function isVisibleTo({ budget: { per }, subject }: HubBudget, { personId }: PersonCaller): boolean {
  if (per === 'person') return subject === personId;
  return per === 'token' ? subject.endsWith(` ${personId}`) : true;
}

/** `maySee` rejects, or resolves to false, once the caller may not see all calls any more that the listener gets. */
export type AuditTail = { readonly stop: () => void; readonly maySee: () => Promise<boolean> };

type AuditMethods = Pick<GovernanceService, 'searchAudit' | 'exportAudit' | 'tailAudit' | 'getAuditState' | 'getUsage'>;

const usageDays = 7;
type Authorize = (caller: PersonCaller, hub: string, action: HubAction) => Promise<HubMembership>;

function createAuditMethods(audit: AuditLog, authorize: Authorize, clock: Pick<Clock, 'nowMs'>): AuditMethods {
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
      const stop = audit.tail(membership.hubId, (call) => {
        if (personFilter === undefined || call.person_id === personFilter) listener(call);
      });
      const maySee = async (): Promise<boolean> => {
        const current = await authorize(caller, hub, 'audit.see');
        if (current.hubId !== membership.hubId) return false;
        return personFilter !== undefined || getPersonFilter(current, caller) === undefined;
      };
      return { stop, maySee };
    },
    getAuditState: async (caller, hub) => audit.state((await authorize(caller, hub, 'audit.see')).hubId),
    async getUsage(caller, hub, { by, toMs = clock.nowMs(), fromMs = toMs - usageDays * dayMs }) {
      const membership = await authorize(caller, hub, 'audit.see');
      const person = getPersonFilter(membership, caller);
      return createUsageReport(audit, { hubId: membership.hubId, by, fromMs, toMs, person });
    },
  };
}
