/** Decides calls by the hub's policy, the pins of its tools and the rate limits. */
import type { Clock } from '../../environment/clock.ts';
import type {
  CallPolicy,
  Decision,
  HubPrincipal,
  PolicyCall,
  Redaction,
  UpstreamConnection,
  UpstreamTool,
} from '../types.ts';
import { type CallKey, CallRateLimiter } from './call-rate-limiter.ts';
import { type CallFacts, findRefusal, findToolRefusal, type PolicyRefusal, toFullToolName } from './call-rules.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { findFieldPointers } from './field-pointers.ts';
import type { PolicyStore } from './policy-store.ts';
import { isApproved, isReadOnlyTool, type ToolPins } from './tool-pins.ts';

export type PolicyEngineDependencies = {
  readonly policies: Pick<PolicyStore, 'getCompiled'>;
  readonly pins: Pick<ToolPins, 'get' | 'recordTools'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

const unknownToolRefusal: PolicyRefusal = {
  reason: 'the connection never listed this tool, so its definition is unknown',
  cure: 'list the tools of the hub and call one of them',
};
const unapprovedToolRefusal: PolicyRefusal = {
  reason: 'the definition of this tool changed or is suspicious, and no owner of the hub has approved it yet',
  cure: 'ask an owner of the hub to review and approve it',
};

function toCallKey({ principal }: PolicyCall, name: string): CallKey {
  const { via, person, hub } = principal;
  const token = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return { hubId: hub.id, token: `${via.kind} ${token} ${person.personId}`, person: person.personId, tool: name };
}

/** Counts calls from its creation. */
export function createPolicyEngine({ policies, pins, clock }: PolicyEngineDependencies): Required<CallPolicy> {
  const limits = new CallRateLimiter();
  return {
    async decide(call) {
      const { principal, connection, tool } = call;
      const [policy, toolPins] = await Promise.all([policies.getCompiled(principal.hub.id), pins.get(connection.id)]);
      const pin = toolPins.get(tool);
      const redact = toRedaction(policy, call.arguments);
      if (!pin) return deny(unknownToolRefusal, redact);
      const facts: CallFacts = {
        role: principal.role,
        connection: connection.name,
        tool,
        isReadOnly: isReadOnlyTool(pin),
        arguments: { value: call.arguments },
      };
      const refusal =
        findToolRefusal(policy, facts) ?? (isApproved(pin) ? findRefusal(policy, facts) : unapprovedToolRefusal);
      if (refusal) return deny(refusal, redact);
      const reservation = limits.reserve(policy.limits, toCallKey(call, toFullToolName(facts)), clock.monotonicMs());
      if ('refusal' in reservation) return deny(reservation.refusal, redact);
      return { allowed: true, redact, limits: policy.bounds, release: reservation.release };
    },
    async admit(call) {
      const policy = await policies.getCompiled(call.principal.hub.id);
      const redact = toRedaction(policy, call.arguments);
      const name = toFullToolName({ connection: call.connection.name, tool: call.tool });
      const reservation = limits.reserve(policy.limits, toCallKey(call, name), clock.monotonicMs());
      if ('refusal' in reservation) return deny(reservation.refusal, redact);
      return { allowed: true, redact, limits: policy.bounds, release: reservation.release };
    },
    async filterVisibleTools(principal, connection, tools) {
      const [policy, toolPins] = await Promise.all([
        policies.getCompiled(principal.hub.id),
        pins.recordTools(connection, tools),
      ]);
      return filterVisibleNames(policy, principal, connection, tools, toolPins);
    },
  };
}

function deny({ reason, cure }: PolicyRefusal, redact: Redaction): Decision {
  return { allowed: false, reason, cure, redact };
}

function toRedaction({ audit }: CompiledPolicy, value: unknown): Redaction {
  if (!audit.keep) return { keep: false, hide: [] };
  return { keep: true, hide: [...audit.hide, ...findFieldPointers(value, audit.fields)] };
}

function filterVisibleNames(
  policy: CompiledPolicy,
  { role }: HubPrincipal,
  { name: connection }: UpstreamConnection,
  tools: readonly UpstreamTool[],
  toolPins: Awaited<ReturnType<ToolPins['get']>>,
): ReadonlySet<string> {
  const visible = tools.filter(({ name: tool }) => {
    const pin = toolPins.get(tool);
    if (!pin || !isApproved(pin)) return false;
    return findToolRefusal(policy, { role, connection, tool, isReadOnly: isReadOnlyTool(pin) }) === undefined;
  });
  return new Set(visible.map(({ name }) => name));
}
