/** Approvals on the side of the people who decide. */
import type {
  DecideHubApprovalRequest,
  HubApproval,
  HubApprovalDetails,
  HubApprovalQuery,
} from '../../contract/hubs/approvals-api.ts';
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import {
  type ApprovalRow,
  decideApproval,
  findApproval,
  listApprovals,
  listEarlierApprovals,
} from '../../store/control/hubs/approvals.ts';
import { findMember } from '../../store/control/hubs/members.ts';
import { authorizeInHub } from '../access/permissions.ts';
import type { HubPrincipal, HubRole } from '../access/principal.ts';
import { toolSeparator } from '../connections/connection.ts';
import type { CallPolicy } from '../policy/call-policy.ts';
import { matchesTool } from '../policy/tool-pattern.ts';
import { createApprovalEntry } from './approval-audit.ts';
import { unsealCall } from './approval-record.ts';
import type { ApprovalDependencies, ApprovalRequests } from './approval-requests.ts';
import { type ApproverFacts, canApprove, isApprover } from './approval-rules.ts';
import { toApprovalDetails, toHubApproval } from './approval-view.ts';

/** Each method throws HUB_UNKNOWN. */
export type ApprovalsService = {
  /** Those that the caller may decide or has requested; owners of the hub see all. */
  list(caller: PersonCaller, hub: string, query: HubApprovalQuery): Promise<HubApproval[]>;
  /** Throws HUB_APPROVAL_UNKNOWN. */
  get(caller: PersonCaller, hub: string, approval: string): Promise<HubApprovalDetails>;
  /** Throws HUB_APPROVAL_UNKNOWN, HUB_APPROVAL_ENDED, HUB_APPROVAL_CHANGED, HUB_APPROVER_INVALID, AUDIT_UNAVAILABLE. */
  decide(
    caller: PersonCaller,
    hub: string,
    approval: string,
    input: DecideHubApprovalRequest,
  ): Promise<HubApprovalDetails>;
  /** The same for a caller of the hub itself, such as an MCP client. */
  readonly forPrincipal: ApprovalsOfPrincipal;
};

export type ApprovalsOfPrincipal = {
  /** Whether the caller may decide calls of others in this hub. */
  isApprover(principal: HubPrincipal): Promise<boolean>;
  list(principal: HubPrincipal, query: HubApprovalQuery): Promise<HubApproval[]>;
  get(principal: HubPrincipal, approval: string): Promise<HubApprovalDetails>;
  decide(principal: HubPrincipal, approval: string, input: DecideHubApprovalRequest): Promise<HubApprovalDetails>;
};

export type ApprovalsServiceDependencies = Omit<ApprovalDependencies, 'onRequested' | 'onError' | 'random'> & {
  readonly requests: ApprovalRequests;
  readonly policy: Required<Pick<CallPolicy, 'getApprovalRules'>>;
  readonly logSecurityEvent: (event: SecurityEvent) => void;
};

/** The person who decides, as the store has them now. */
type Reader = { readonly principal: HubPrincipal; readonly facts: ApproverFacts };

const defaultListed = 100;
const maxEarlier = 5;

export function createApprovalsService(dependencies: ApprovalsServiceDependencies): ApprovalsService {
  const { database } = dependencies;
  const forPrincipal = createApprovalsOfPrincipal(dependencies);
  const toPrincipal = (caller: PersonCaller, slug: string): Promise<HubPrincipal> =>
    database.read((sql) => {
      const { hubId, role } = authorizeInHub(sql, caller, slug, 'approval.see');
      const person = { personId: caller.personId, name: caller.name };
      return { hub: { id: hubId, slug }, person, role, via: { kind: 'console' }, client: undefined };
    });
  return {
    forPrincipal,
    list: async (caller, hub, query) => forPrincipal.list(await toPrincipal(caller, hub), query),
    get: async (caller, hub, approval) => forPrincipal.get(await toPrincipal(caller, hub), approval),
    decide: async (caller, hub, approval, input) =>
      forPrincipal.decide(await toPrincipal(caller, hub), approval, input),
  };
}

function createApprovalsOfPrincipal(dependencies: ApprovalsServiceDependencies): ApprovalsOfPrincipal {
  const { database, policy, dataKey, clock } = dependencies;
  const findReader = async (principal: HubPrincipal): Promise<Reader | undefined> => {
    const { hub, person, role } = principal;
    const member = await database.read((sql) => findMember(sql, hub.id, person.personId));
    // A credential may have a lower role than its person.
    return member && { principal, facts: { personId: person.personId, email: member.email, role } };
  };
  const read = async (principal: HubPrincipal) => {
    const [reader, rules] = await Promise.all([findReader(principal), policy.getApprovalRules(principal.hub.id)]);
    const mayApprove = (row: ApprovalRow): boolean =>
      reader !== undefined && isApprover(findRules(rules, row), reader.facts, row.person_id);
    const mayDecide = (row: ApprovalRow): boolean =>
      (row.state === 'pending' || row.state === 'approved') && row.expires_at_ms > clock.nowMs() && mayApprove(row);
    const maySee = (row: ApprovalRow): boolean =>
      row.person_id === principal.person.personId || mayApprove(row) || isOwner(principal.role);
    return { rules, reader, mayApprove, mayDecide, maySee };
  };
  const getDetails = async (principal: HubPrincipal, id: string): Promise<HubApprovalDetails> => {
    const { mayApprove, mayDecide, maySee } = await read(principal);
    const stored = await database.read((sql) => {
      const row = findApproval(sql, principal.hub.id, id);
      return row && { row, earlier: listEarlierApprovals(sql, row, maxEarlier) };
    });
    if (!stored || !maySee(stored.row)) throw createUnknownError(id);
    const { row, earlier } = stored;
    const seesCall = mayApprove(row) || row.person_id === principal.person.personId;
    return toApprovalDetails(row, mayDecide(row), seesCall ? unsealCall(dataKey, row) : undefined, earlier);
  };
  return {
    async isApprover(principal) {
      const rules = await policy.getApprovalRules(principal.hub.id);
      if (rules.length === 0) return false;
      const reader = await findReader(principal);
      return reader !== undefined && canApprove(rules, reader.facts);
    },
    async list(principal, { state = 'open', limit = defaultListed }) {
      const { mayDecide, maySee } = await read(principal);
      const rows = await database.read((sql) => listApprovals(sql, principal.hub.id, state, limit));
      return rows.filter(maySee).map((row) => toHubApproval(row, mayDecide(row)));
    },
    get: getDetails,
    async decide(principal, id, input) {
      await dependencies.requests.inTurn(() => decide(dependencies, principal, id, input, read));
      dependencies.requests.waiters.wake(id);
      return getDetails(principal, id);
    },
  };
}

const isOwner = (role: HubRole): boolean => role === 'owner';

function createUnknownError(id: string) {
  return vpError('HUB_APPROVAL_UNKNOWN', { approval: id.slice(0, 40) });
}

function findRules(rules: readonly ApprovalRule[], { connection, tool }: ApprovalRow): readonly ApprovalRule[] {
  return rules.filter(({ tools }) => matchesTool(tools, `${connection}${toolSeparator}${tool}`));
}

type ReadRights = (
  principal: HubPrincipal,
) => Promise<{ maySee(row: ApprovalRow): boolean; mayApprove(row: ApprovalRow): boolean }>;

async function decide(
  { database, audit, clock, requests, logSecurityEvent }: ApprovalsServiceDependencies,
  principal: HubPrincipal,
  id: string,
  { decision, digest, comment = '' }: DecideHubApprovalRequest,
  readRights: ReadRights,
): Promise<void> {
  const { hub, person } = principal;
  const { maySee, mayApprove } = await readRights(principal);
  const row = await database.read((sql) => findApproval(sql, hub.id, id));
  if (!row || !maySee(row)) throw createUnknownError(id);
  if (row.person_id === person.personId)
    throw vpError('HUB_APPROVER_INVALID', { approval: id, problem: 'it is a call of your own' });
  const isApproval = decision === 'approve';
  const isOpen = row.state === 'pending' || (row.state === 'approved' && !isApproval);
  if (!isOpen) throw vpError('HUB_APPROVAL_ENDED', { approval: id, state: row.state });
  if (row.expires_at_ms <= clock.nowMs()) throw vpError('HUB_APPROVAL_ENDED', { approval: id, state: 'expired' });
  const change = await requests.endIfChanged(row);
  if (change !== undefined) throw vpError('HUB_APPROVAL_ENDED', { approval: id, state: `void, because ${change}` });
  if (!mayApprove(row)) throw vpError('HUB_APPROVER_INVALID', { approval: id, problem: 'the policy names others' });
  if (row.call_digest !== digest) throw vpError('HUB_APPROVAL_CHANGED', { approval: id });
  audit.ready?.();
  const state = isApproval ? 'approved' : 'denied';
  await audit.record(createApprovalEntry(clock, state, row, { principal, note: comment }));
  const decided = { decided_at_ms: clock.nowMs(), decided_by_id: person.personId, decided_by: person.name };
  const from = isApproval ? 'pending' : 'open';
  const isDecided = await database.write((sql) => decideApproval(sql, id, from, { state, ...decided, comment }));
  if (!isDecided) throw vpError('HUB_APPROVAL_ENDED', { approval: id, state: 'used' });
  logSecurityEvent({ event: `hub_call_${state}`, level: 'info', hub: hub.id, approval: id, by: person.personId });
}
