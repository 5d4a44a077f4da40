/** What people see and change of a hub's policy, tools and audit; each call looks at what the caller is in the hub then. */
import type { Static } from '@sinclair/typebox';
import type { AuditCall, AuditState } from '../contract/hub-audit-api.ts';
import type {
  HubPolicy,
  HubPolicyDocument,
  HubPolicyTrial,
  HubPolicyWrite,
  HubTool,
  HubToolApproval,
} from '../contract/hub-policy-api.ts';
import type { Clock } from '../environment/clock.ts';
import { vpError } from '../errors/vp-error.ts';
import type { PersonCaller } from '../identity/caller.ts';
import type { SecurityEvent } from '../identity/context.ts';
import type { ToolPinRow } from '../store/control/hub-tool-pins.ts';
import type { Database } from '../store/database.ts';
import type { AuditLog, AuditPage } from './audit/audit-log.ts';
import type { AuditWanted } from './audit/question.ts';
import { demandHub, type HubAction, mayInHub, type Standing } from './hubs-authorization.ts';
import { differenceOf } from './policy/definition.ts';
import { governor } from './policy/governor.ts';
import { Policies } from './policy/policies.ts';
import { flagsIn, isApproved, ToolPins } from './policy/tool-pins.ts';
import { tryPolicy } from './policy/trial.ts';
import type { ConnectionBook, Policy } from './words.ts';

/** What it works with. */
export type GovernanceParts = {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly audit: AuditLog;
  readonly book: Pick<ConnectionBook, 'ofHub'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly tell: (event: SecurityEvent) => void;
};

/** A time of the audit. */
export type AuditRange = { readonly fromMs: number; readonly toMs: number };

/** Whoever names a hub throws HUB_UNKNOWN and HUB_ROLE_INSUFFICIENT. */
export type Governance = {
  /** Decides about calls; for the gateway. */
  readonly policy: Required<Policy>;
  getPolicy(caller: PersonCaller, hub: string): Promise<HubPolicy>;
  /** Throws POLICY_INVALID, POLICY_REVISION_OTHER. */
  setPolicy(caller: PersonCaller, hub: string, input: HubPolicyWrite): Promise<HubPolicy>;
  /** Yesterday's calls, unless said otherwise. Throws POLICY_INVALID. */
  tryPolicy(
    caller: PersonCaller,
    hub: string,
    document: HubPolicyDocument,
    sinceMs?: number,
  ): Promise<Static<typeof HubPolicyTrial>>;
  /** Those held back first. */
  tools(caller: PersonCaller, hub: string): Promise<HubTool[]>;
  /** Throws TOOL_PIN_UNKNOWN, TOOL_PIN_CHANGED. */
  approveTool(caller: PersonCaller, hub: string, input: HubToolApproval): Promise<HubTool>;
  /** An owner sees all calls, others see their own. */
  searchAudit(caller: PersonCaller, hub: string, wanted: AuditWanted): Promise<AuditPage>;
  exportAudit(caller: PersonCaller, hub: string, range: AuditRange): Promise<AsyncIterable<readonly AuditCall[]>>;
  /** Calls as they are written; the returned function stops that. */
  tailAudit(caller: PersonCaller, hub: string, listener: (call: AuditCall) => void): Promise<() => void>;
  auditState(caller: PersonCaller, hub: string): Promise<AuditState>;
};

const dayMs = 86_400_000;

/** See {@link Governance}. */
export function governanceOf(parts: GovernanceParts): Governance {
  const { audit, clock, database, book, tell } = parts;
  const policies = new Policies(parts);
  const pins = new ToolPins(parts);
  const stand = (caller: PersonCaller, hub: string, action: HubAction): Promise<Standing> =>
    database.read((sql) => demandHub(sql, caller, hub, action));
  return {
    policy: governor({ policies, pins, clock }),
    getPolicy: async (caller, hub) => policies.get((await stand(caller, hub, 'policy.see')).hubId),
    async setPolicy(caller, hub, { document, if_revision: wanted }) {
      const { hubId } = await stand(caller, hub, 'policy.manage');
      const policy = await policies.set(hubId, document, caller.name, wanted);
      tell({ event: 'hub_policy_changed', level: 'info', hub: hubId, revision: policy.revision, by: caller.personId });
      return policy;
    },
    async tryPolicy(caller, hub, document, sinceMs) {
      const { hubId } = await stand(caller, hub, 'policy.manage');
      const toMs = clock.nowMs();
      return tryPolicy({ audit, pins, book }, hubId, document, { fromMs: sinceMs ?? toMs - dayMs, toMs });
    },
    tools: async (caller, hub) => toolsOf({ book, pins }, (await stand(caller, hub, 'policy.see')).hubId),
    async approveTool(caller, hub, input) {
      const { hubId } = await stand(caller, hub, 'tool.approve');
      const { connection, tool, digest } = input;
      const found = (await book.ofHub(hubId)).find(({ name }) => name === connection);
      if (!found) throw vpError('TOOL_PIN_UNKNOWN', { tool, connection });
      const pin = await pins.approve(found, tool, digest, caller.name);
      tell({ event: 'hub_tool_approved', level: 'info', hub: hubId, connection, tool, by: caller.personId });
      return wireTool(found.name, pin);
    },
    ...auditOf(audit, stand),
  };
}

type AuditPart = Pick<Governance, 'searchAudit' | 'exportAudit' | 'tailAudit' | 'auditState'>;
type Stand = (caller: PersonCaller, hub: string, action: HubAction) => Promise<Standing>;

function auditOf(audit: AuditLog, stand: Stand): AuditPart {
  /** The person whose calls alone may be seen; undefined where all may. */
  const narrowed = ({ role }: Standing, { personId }: PersonCaller): string | undefined =>
    mayInHub(role, 'audit.see_all') ? undefined : personId;
  return {
    async searchAudit(caller, hub, wanted) {
      const standing = await stand(caller, hub, 'audit.see');
      const only = narrowed(standing, caller);
      if (only !== undefined && wanted.person !== undefined && wanted.person !== only)
        return { items: [], next: undefined };
      return audit.search(standing.hubId, { ...wanted, person: only ?? wanted.person });
    },
    exportAudit: async (caller, hub, range) => audit.calls((await stand(caller, hub, 'audit.see_all')).hubId, range),
    async tailAudit(caller, hub, listener) {
      const standing = await stand(caller, hub, 'audit.see');
      const only = narrowed(standing, caller);
      return audit.tail(standing.hubId, (call) => {
        if (only === undefined || call.person_id === only) listener(call);
      });
    },
    auditState: async (caller, hub) => audit.state((await stand(caller, hub, 'audit.see')).hubId),
  };
}

async function toolsOf({ book, pins }: { book: GovernanceParts['book']; pins: ToolPins }, hubId: string) {
  const tools: HubTool[] = [];
  for (const { id, name } of await book.ofHub(hubId))
    for (const pin of (await pins.of(id)).values()) tools.push(wireTool(name, pin));
  const order = ({ state, connection, tool }: HubTool): string => `${state === 'held' ? 0 : 1} ${connection} ${tool}`;
  return tools.sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

function wireTool(connection: string, pin: ToolPinRow): HubTool {
  const [approved, waiting] = [definitionOf(pin.approved), definitionOf(pin.waiting)];
  return {
    connection,
    tool: pin.tool,
    state: isApproved(pin) ? 'approved' : 'held',
    approved,
    waiting,
    waiting_digest: pin.waiting_digest,
    difference: waiting === null ? [] : differenceOf(approved ?? {}, waiting),
    flags: flagsIn(pin),
    seen_at: new Date(pin.seen_at_ms).toISOString(),
    changed_at: pin.changed_at_ms === null ? null : new Date(pin.changed_at_ms).toISOString(),
    approved_by: pin.approved_by,
  };
}

function definitionOf(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
