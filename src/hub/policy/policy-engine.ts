/**
 * Decides calls by the hub's policy, the pins of its definitions, budgets and the rate limits.
 *
 * Length: every kind of call is decided in the same order, which is read together.
 */
import type { ApprovalRule } from '../../contract/hubs/policy-api.ts';
import type { Clock } from '../../environment/clock.ts';
import { findExactValue } from '../../json/exact-values.ts';
import type { DefinitionPinRow } from '../../store/control/hubs/definition-pins.ts';
import type { HubPrincipal } from '../access/principal.ts';
import { digestPinned } from '../approvals/approval-binding.ts';
import type { BudgetMeter, HubBudgets } from '../budgets/hub-budgets.ts';
import type { UpstreamConnection, UpstreamTool } from '../connections/connection.ts';
import {
  type CallPolicy,
  type Decision,
  digestOnly,
  type ItemAccess,
  type PolicyCall,
  type PolicyRefusal,
} from './call-policy.ts';
import { type CallKey, CallRateLimiter } from './call-rate-limiter.ts';
import {
  type CallFacts,
  findContentRefusal,
  findItemRefusal,
  findPartRefusal,
  findSizeRefusal,
  findToolRefusal,
  toFullToolName,
} from './call-rules.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { deny, toRecordedParts, toRedaction } from './decision-parts.ts';
import {
  type DefinitionPins,
  isApproved,
  isApprovedDefinition,
  isDeclaredReadOnly,
  isReadOnlyTool,
} from './definition-pins.ts';
import { definitionRefusals } from './definition-refusals.ts';
import type { ItemPins } from './item-pins.ts';
import type { PolicyStore } from './policy-store.ts';
import { serializeDefinition } from './tool-definition.ts';
import { matchesTool } from './tool-pattern.ts';

/** Without rules for approvals this costs nothing. */
function findApprovalRules({ approvals }: CompiledPolicy, facts: CallFacts): readonly ApprovalRule[] {
  if (approvals.length === 0) return approvals;
  const name = toFullToolName(facts);
  return approvals.filter(({ tools }) => matchesTool(tools, name));
}

export type PolicyEngineDependencies = {
  readonly policies: Pick<PolicyStore, 'getCompiled' | 'onChange'>;
  readonly pins: Pick<DefinitionPins, 'get' | 'record'>;
  readonly itemPins: ItemPins;
  readonly budgets: Pick<HubBudgets, 'open'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

function toCallKey({ principal }: Pick<PolicyCall, 'principal'>, name: string): CallKey {
  const { via, person, hub } = principal;
  const token = via.kind === 'token' ? via.tokenId : via.kind === 'grant' ? via.clientId : '';
  return { hubId: hub.id, token: `${via.kind} ${token} ${person.personId}`, person: person.personId, tool: name };
}

/** Counts calls from its creation. */
export function createPolicyEngine({
  policies,
  pins,
  itemPins,
  budgets,
  clock,
}: PolicyEngineDependencies): Required<CallPolicy> {
  const limits = new CallRateLimiter();
  const allow = (policy: CompiledPolicy, call: PolicyCall, facts: CallFacts, metered: Metered): Decision => {
    const name = toFullToolName(facts);
    const budgeted = metered && { ...call, method: metered.method };
    const refusal = budgeted && metered.meter.findRefusal(budgeted);
    if (refusal) return deny(policy, call, refusal);
    const reservation = limits.reserve(policy.limits, toCallKey(call, name), clock.monotonicMs());
    if ('refusal' in reservation) return deny(policy, call, reservation.refusal);
    return {
      budget: budgeted && metered.meter.begin(budgeted),
      allowed: true,
      redact: toRedaction(policy, call.arguments),
      recordedParts: toRecordedParts(policy, call),
      limits: policy.bounds,
      release: reservation.release,
      decideAnswer: (question, answer) => ({
        redact: toRedaction(policy, { [question]: answer }),
        refusal: findPartRefusal(policy, name, 'answers', answer, { exact: findExactValue(answer) }),
      }),
    };
  };
  const openMeter = (policy: CompiledPolicy, { principal }: PolicyCall, method: string) =>
    budgets.open(principal.hub, policy)?.then((meter) => ({ meter, method }));
  /** `pin` is a digest of the definition that is called. */
  const allowOrHold = (
    policy: CompiledPolicy,
    call: PolicyCall,
    facts: CallFacts,
    pin: string,
    metered: Metered,
  ): Decision => {
    const rules = findApprovalRules(policy, facts);
    if (rules.length === 0) return allow(policy, call, facts, metered);
    const approval = { rules, policyRevision: policy.revision, pin, allow: () => allow(policy, call, facts, metered) };
    return { ...deny(policy, call, approvalRefusal), approval };
  };
  const findAccessRefusal = async (policy: CompiledPolicy, access: ItemAccess): Promise<PolicyRefusal | undefined> => {
    const { principal, connection, tool, isListed, original } = access;
    const facts = { role: principal.role, caller: principal, connection: connection.name, tool };
    const refusal = findItemRefusal(policy, isListed === undefined ? facts : { ...facts, isListed });
    if (refusal) return refusal;
    return isListed === undefined
      ? itemPins.findPromptRefusal(connection, tool, original)
      : itemPins.findResourceRefusal(connection, tool, isListed);
  };
  return {
    async decide(call) {
      const { principal, connection, tool } = call;
      const [policy, toolPins] = await Promise.all([policies.getCompiled(principal.hub.id), pins.get(connection.id)]);
      const pin = toolPins.get(tool);
      if (!pin) return deny(policy, call, definitionRefusals.unknownTool);
      const facts = toFacts(call, isReadOnlyTool(pin));
      const refusal =
        findToolRefusal(policy, facts) ??
        (isUsable(pin, call) ? findContentRefusal(policy, facts) : definitionRefusals.tool);
      if (refusal) return deny(policy, call, refusal);
      // Without budgets nothing is waited for.
      const opening = openMeter(policy, call, 'tools/call');
      return allowOrHold(policy, call, facts, digestPinned(pin), opening && (await opening));
    },
    async decideDirectMemory(call, definition) {
      const policy = await policies.getCompiled(call.principal.hub.id);
      if (!definition) return deny(policy, call, definitionRefusals.unknownTool);
      const facts = toFacts(call, isDeclaredReadOnly(definition));
      const refusal = findSwitchedOff(policy, call.connection) ?? findToolRefusal(policy, facts);
      const contentRefusal = refusal ?? findContentRefusal(policy, facts);
      if (contentRefusal) return deny(policy, call, contentRefusal);
      const opening = openMeter(policy, call, 'tools/call');
      const { digest } = serializeDefinition(definition, 'tool');
      return allowOrHold(policy, call, facts, digest, opening && (await opening));
    },
    async filterDirectMemory(principal, connection, tools) {
      const policy = await policies.getCompiled(principal.hub.id);
      if (findSwitchedOff(policy, connection)) return new Set();
      const facts = { role: principal.role, caller: principal, connection: connection.name };
      const visible = tools.filter(
        (tool) =>
          findToolRefusal(policy, { ...facts, tool: tool.name, isReadOnly: isDeclaredReadOnly(tool) }) === undefined,
      );
      return new Set(visible.map(({ name }) => name));
    },
    async decideTask(call) {
      const { principal, connection, tool } = call;
      const [policy, toolPins] = await Promise.all([policies.getCompiled(principal.hub.id), pins.get(connection.id)]);
      const pin = toolPins.get(tool);
      if (!pin) return deny(policy, call, definitionRefusals.unknownTool);
      const { arguments: _decidedBefore, ...facts } = toFacts(call, isReadOnlyTool(pin));
      const refusal =
        findToolRefusal(policy, facts) ??
        (isApproved(pin) ? findContentRefusal(policy, facts) : definitionRefusals.tool);
      if (refusal) return deny(policy, call, refusal);
      // Whoever has started a task may read its result; its bytes count.
      const opening = openMeter(policy, call, 'tasks/get');
      return allow(policy, call, facts, opening && (await opening));
    },
    async limitHubTool(principal, tool) {
      const policy = await policies.getCompiled(principal.hub.id);
      const reservation = limits.reserve(policy.limits, toCallKey({ principal }, tool), clock.monotonicMs());
      if ('refusal' in reservation) return { allowed: false, ...reservation.refusal };
      return { allowed: true, redact: digestOnly, release: reservation.release };
    },
    async admit(call) {
      const policy = await policies.getCompiled(call.principal.hub.id);
      const isPrompt = call.isListed === undefined;
      const { arguments: _withoutRules, ...otherFacts } = toFacts(call, true);
      const facts = isPrompt
        ? { ...otherFacts, arguments: { value: call.ruleArguments ?? call.arguments } }
        : otherFacts;
      const refusal =
        (await findAccessRefusal(policy, call)) ??
        (isPrompt ? undefined : findSizeRefusal(policy, 'arguments', call.arguments)) ??
        findContentRefusal(policy, facts);
      if (refusal) return deny(policy, call, refusal);
      const method = isPrompt ? 'prompts/get' : 'resources/read';
      const opening = openMeter(policy, call, method);
      return allow(policy, call, facts, opening && (await opening));
    },
    async findTaskRefusal({ principal, connection, tool }) {
      const [policy, toolPins] = await Promise.all([policies.getCompiled(principal.hub.id), pins.get(connection.id)]);
      const pin = toolPins.get(tool);
      if (!pin) return definitionRefusals.unknownTool;
      const facts = { role: principal.role, caller: principal, connection: connection.name, tool };
      const refusal = findToolRefusal(policy, { ...facts, isReadOnly: isReadOnlyTool(pin) });
      return refusal ?? (isApproved(pin) ? undefined : definitionRefusals.tool);
    },
    findAccessRefusal: async (access) => findAccessRefusal(await policies.getCompiled(access.principal.hub.id), access),
    onChange: (listener) => policies.onChange(listener),
    getListenerLimits: async (hubId) => (await policies.getCompiled(hubId)).listeners,
    getApprovalRules: async (hubId) => (await policies.getCompiled(hubId)).approvals,
    offersClientApprovals: async (hubId) => (await policies.getCompiled(hubId)).offersClientApprovals,
    recordsLists: async (hubId) => (await policies.getCompiled(hubId)).audit.lists,
    pinItems: async (connection, kind, items) => void (await itemPins.record(connection, kind, items)),
    async filterVisibleItems(principal, connection, kind, items) {
      const [policy, approved] = await Promise.all([
        policies.getCompiled(principal.hub.id),
        itemPins.record(connection, kind, items),
      ]);
      const facts = { role: principal.role, caller: principal, connection: connection.name };
      return new Set([...approved].filter((tool) => findItemRefusal(policy, { ...facts, tool }) === undefined));
    },
    async filterVisibleTools(principal, connection, tools) {
      const [policy, toolPins] = await Promise.all([
        policies.getCompiled(principal.hub.id),
        pins.record(connection, tools),
      ]);
      return filterVisibleNames(policy, principal, connection, tools, toolPins);
    },
  };
}

/** Whether the definition that the caller was shown is approved, or is the waiting one that an owner tries. */
function isUsable(pin: DefinitionPinRow, { original, trialDigest }: PolicyCall): boolean {
  if (original ? isApprovedDefinition(pin, original) : isApproved(pin)) return true;
  if (trialDigest === undefined || trialDigest !== pin.waiting_digest) return false;
  return original === undefined || serializeDefinition(original).digest === trialDigest;
}

/** Undefined where the policy has no budgets. */
type Metered = { readonly meter: BudgetMeter; readonly method: string } | undefined;

/** For callers of the policy that know no approvals. */
const approvalRefusal: PolicyRefusal = {
  reason: 'this call needs an approval, which cannot be given here',
  cure: 'call the tool through the hub',
};

function findSwitchedOff(policy: CompiledPolicy, { enabled, name }: UpstreamConnection): PolicyRefusal | undefined {
  if (!policy.offersDirectMemory)
    return {
      reason: 'this hub does not offer its memory at its own address',
      cure: 'use the memory through the hub, or ask an owner of the hub to remove `"direct_memory": "refuse"` from its policy',
    };
  if (enabled) return undefined;
  return {
    reason: `the memory of this hub is switched off: its connection ${name} is disabled`,
    cure: 'ask an owner of the hub to enable the connection',
  };
}

function toFacts({ principal, connection, tool, ...call }: PolicyCall, isReadOnly: boolean): CallFacts {
  return {
    role: principal.role,
    caller: principal,
    connection: connection.name,
    tool,
    isReadOnly,
    arguments: { value: call.arguments, exact: call.exactArguments, sentBytes: call.argumentBytes },
    meta: call.meta,
    answers: call.answers,
  };
}

function filterVisibleNames(
  policy: CompiledPolicy,
  principal: HubPrincipal,
  { name: connection }: UpstreamConnection,
  tools: readonly UpstreamTool[],
  toolPins: Awaited<ReturnType<DefinitionPins['get']>>,
): ReadonlySet<string> {
  const facts = { role: principal.role, caller: principal, connection };
  const visible = tools.filter((tool) => {
    const pin = toolPins.get(tool.name);
    if (!pin || !isApprovedDefinition(pin, tool)) return false;
    return findToolRefusal(policy, { ...facts, tool: tool.name, isReadOnly: isReadOnlyTool(pin) }) === undefined;
  });
  return new Set(visible.map(({ name }) => name));
}
