/** Decides about calls: the hub's policy, the pins of its tools, and how much is being called already. */
import type { Clock } from '../../environment/clock.ts';
import type { Connection, DecidedCall, Decision, HubPrincipal, Policy, Redaction, ToolDefinition } from '../words.ts';
import { CallLimits, type Counted } from './call-limits.ts';
import type { CompiledPolicy } from './compiled.ts';
import { pointersOf } from './hidden-fields.ts';
import { type CallFacts, fullName, type Refusal, refusalOf, refusalOfTool } from './judge.ts';
import type { Policies } from './policies.ts';
import { isApproved, isReading, type ToolPins } from './tool-pins.ts';

/** What it works with. */
export type GovernorParts = {
  readonly policies: Pick<Policies, 'of'>;
  readonly pins: Pick<ToolPins, 'of' | 'see'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

const unknownTool: Refusal = {
  reason: 'the connection never listed this tool, so nobody knows what it does',
  cure: 'list the tools of the hub, and call one of them',
};
const heldTool: Refusal = {
  reason: 'the definition of this tool changed or is odd, and no owner of the hub has approved it yet',
  cure: 'ask an owner of the hub to look at what changed and approve it',
};

function countedOf({ principal }: DecidedCall, name: string): Counted {
  const { via, person, hub } = principal;
  const token = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return { hubId: hub.id, token: `${via.kind} ${token} ${person.personId}`, person: person.personId, tool: name };
}

/** The decider; it counts from when it was made. */
export function governor({ policies, pins, clock }: GovernorParts): Required<Policy> {
  const limits = new CallLimits();
  return {
    async decide(call) {
      const { principal, connection, tool } = call;
      const [policy, known] = await Promise.all([policies.of(principal.hub.id), pins.of(connection.id)]);
      const pin = known.get(tool);
      const redact = redactionOf(policy, call.arguments);
      if (!pin) return refused(unknownTool, redact);
      const facts: CallFacts = {
        role: principal.role,
        connection: connection.name,
        tool,
        isReading: isReading(pin),
        arguments: { value: call.arguments },
      };
      const refusal = refusalOfTool(policy, facts) ?? (isApproved(pin) ? refusalOf(policy, facts) : heldTool);
      if (refusal) return refused(refusal, redact);
      const place = limits.enter(policy.limits, countedOf(call, fullName(facts)), clock.monotonicMs());
      if ('refusal' in place) return refused(place.refusal, redact);
      return { allowed: true, redact, limits: policy.bounds, done: place.release };
    },
    async admit(call) {
      const policy = await policies.of(call.principal.hub.id);
      const redact = redactionOf(policy, call.arguments);
      const name = fullName({ connection: call.connection.name, tool: call.tool });
      const place = limits.enter(policy.limits, countedOf(call, name), clock.monotonicMs());
      if ('refusal' in place) return refused(place.refusal, redact);
      return { allowed: true, redact, limits: policy.bounds, done: place.release };
    },
    async offered(principal, connection, tools) {
      const [policy, seen] = await Promise.all([policies.of(principal.hub.id), pins.see(connection, tools)]);
      return offeredNames(policy, principal, connection, tools, seen);
    },
  };
}

function refused({ reason, cure }: Refusal, redact: Redaction): Decision {
  return { allowed: false, reason, cure, redact };
}

function redactionOf({ audit }: CompiledPolicy, value: unknown): Redaction {
  if (!audit.keep) return { keep: false, hide: [] };
  return { keep: true, hide: [...audit.hide, ...pointersOf(value, audit.fields)] };
}

function offeredNames(
  policy: CompiledPolicy,
  { role }: HubPrincipal,
  { name: connection }: Connection,
  tools: readonly ToolDefinition[],
  seen: Awaited<ReturnType<ToolPins['of']>>,
): ReadonlySet<string> {
  const offered = tools.filter(({ name: tool }) => {
    const pin = seen.get(tool);
    if (!pin || !isApproved(pin)) return false;
    return refusalOfTool(policy, { role, connection, tool, isReading: isReading(pin) }) === undefined;
  });
  return new Set(offered.map(({ name }) => name));
}
