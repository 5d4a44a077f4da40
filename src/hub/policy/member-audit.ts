/** What the members of a hub see of its calls: the audit, what was used, and budgets. Owners see all calls, other members their own. */
import type { AuditCall, AuditStorageStatus } from '../../contract/hubs/audit-api.ts';
import type { HubBudget, HubBudgetList, HubUsage } from '../../contract/hubs/usage-api.ts';
import type { Clock } from '../../environment/clock.ts';
import type { PersonCaller } from '../../identity/caller.ts';
import { type AuthorizeInHub, type HubMembership, isAllowedInHub } from '../access/permissions.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { AuditSearch } from '../audit/audit-search.ts';
import type { AuditSearchPage } from '../audit/read-calls.ts';
import type { HubBudgets } from '../budgets/hub-budgets.ts';
import { createUsageReport, type UsageRequest } from '../usage/usage-report.ts';
import type { PolicyStore } from './policy-store.ts';

const dayMs = 86_400_000;
const usageDays = 7;
const maxListedBudgets = 1000;

export type AuditRange = { readonly fromMs: number; readonly toMs: number };

export type UsageQuery = Pick<UsageRequest, 'by'> & {
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
};

/** `maySee` rejects, or resolves to false, once the caller may not see all calls any more that the listener gets. */
export type AuditTail = { readonly stop: () => void; readonly maySee: () => Promise<boolean> };

export type MemberAuditDependencies = {
  readonly authorize: AuthorizeInHub;
  readonly audit: AuditLog;
  readonly budgets: HubBudgets;
  readonly policies: PolicyStore;
  readonly clock: Pick<Clock, 'nowMs'>;
};

/** The only person whose calls the caller may see; undefined for all. */
function getPersonFilter({ role }: HubMembership, { personId }: PersonCaller): string | undefined {
  return isAllowedInHub(role, 'audit.see_all') ? undefined : personId;
}

function isVisibleTo({ budget: { per }, subject }: HubBudget, { personId }: PersonCaller): boolean {
  if (per === 'person') return subject === personId;
  return per === 'token' ? subject.endsWith(` ${personId}`) : true;
}

/** Each method throws HUB_UNKNOWN, HUB_ROLE_INSUFFICIENT. */
export class MemberAudit {
  readonly #dependencies: MemberAuditDependencies;

  constructor(dependencies: MemberAuditDependencies) {
    this.#dependencies = dependencies;
  }

  async search(caller: PersonCaller, hub: string, query: AuditSearch): Promise<AuditSearchPage> {
    const { authorize, audit } = this.#dependencies;
    const membership = await authorize(caller, hub, 'audit.see');
    const personFilter = getPersonFilter(membership, caller);
    if (personFilter !== undefined && query.person !== undefined && query.person !== personFilter)
      return { items: [], next: undefined };
    return audit.search(membership.hubId, { ...query, person: personFilter ?? query.person });
  }

  async export(caller: PersonCaller, hub: string, range: AuditRange): Promise<AsyncIterable<readonly AuditCall[]>> {
    const { authorize, audit } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'audit.see_all');
    return audit.calls(hubId, range);
  }

  async tail(caller: PersonCaller, hub: string, listener: (call: AuditCall) => void): Promise<AuditTail> {
    const { authorize, audit } = this.#dependencies;
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
  }

  async getState(caller: PersonCaller, hub: string): Promise<AuditStorageStatus> {
    const { authorize, audit } = this.#dependencies;
    const { hubId } = await authorize(caller, hub, 'audit.see');
    return audit.state(hubId);
  }

  async getUsage(caller: PersonCaller, hub: string, query: UsageQuery): Promise<HubUsage> {
    const { authorize, audit, clock } = this.#dependencies;
    const { by, toMs = clock.nowMs(), fromMs = toMs - usageDays * dayMs } = query;
    const membership = await authorize(caller, hub, 'audit.see');
    const person = getPersonFilter(membership, caller);
    return createUsageReport(audit, { hubId: membership.hubId, by, fromMs, toMs, person });
  }

  async getBudgets(caller: PersonCaller, hub: string): Promise<HubBudgetList> {
    const { authorize, budgets, policies } = this.#dependencies;
    const { hubId, role } = await authorize(caller, hub, 'policy.see');
    const policy = await policies.getCompiled(hubId);
    const items = await budgets.list({ id: hubId, slug: hub }, policy);
    const seesAll = isAllowedInHub(role, 'audit.see_all');
    const visible = seesAll ? items : items.filter((item) => isVisibleTo(item, caller));
    return { budgets: [...policy.budgets], items: visible.slice(0, maxListedBudgets) };
  }
}
