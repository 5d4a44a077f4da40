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
import type { ItemKind, UpstreamConnection, UpstreamItem, UpstreamTool } from '../connections/connection.ts';
import {
  type CallPolicy,
  type Decision,
  digestOnly,
  type ItemAccess,
  type ListenerQuotaLimits,
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
import { type DefinitionPins, isApproved, isApprovedDefinition } from './definition-pins.ts';
import { definitionRefusals } from './definition-refusals.ts';
import type { ItemPins } from './item-pins.ts';
import type { PolicyStore } from './policy-store.ts';
import { isDeclaredReadOnly, isReadOnlyTool } from './read-only-tools.ts';
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
export class PolicyEngine implements Required<CallPolicy> {
  readonly #policies: PolicyEngineDependencies['policies'];
  readonly #pins: PolicyEngineDependencies['pins'];
  readonly #itemPins: ItemPins;
  readonly #budgets: PolicyEngineDependencies['budgets'];
  readonly #clock: PolicyEngineDependencies['clock'];
  readonly #limits = new CallRateLimiter();

  constructor({ policies, pins, itemPins, budgets, clock }: PolicyEngineDependencies) {
    this.#policies = policies;
    this.#pins = pins;
    this.#itemPins = itemPins;
    this.#budgets = budgets;
    this.#clock = clock;
  }

  async decide(call: PolicyCall): Promise<Decision> {
    const { policy, pin } = await this.#findPolicyAndPin(call);
    if (!pin) return deny(policy, call, definitionRefusals.unknownTool);
    const facts = toFacts(call, isReadOnlyTool(pin));
    const refusal =
      findToolRefusal(policy, facts) ??
      (isUsable(pin, call) ? findContentRefusal(policy, facts) : definitionRefusals.tool);
    if (refusal) return deny(policy, call, refusal);
    // Without budgets nothing is waited for.
    const opening = this.#openMeter(policy, call, 'tools/call');
    return this.#allowOrHold(policy, call, facts, () => digestPinned(pin), opening && (await opening));
  }

  async decideDirectMemory(call: PolicyCall, definition: UpstreamTool | undefined): Promise<Decision> {
    const policy = await this.#policies.getCompiled(call.principal.hub.id);
    if (!definition) return deny(policy, call, definitionRefusals.unknownTool);
    const facts = toFacts(call, isDeclaredReadOnly(definition));
    const refusal = findSwitchedOff(policy, call.connection) ?? findToolRefusal(policy, facts);
    const contentRefusal = refusal ?? findContentRefusal(policy, facts);
    if (contentRefusal) return deny(policy, call, contentRefusal);
    const opening = this.#openMeter(policy, call, 'tools/call');
    const getDigest = (): string => serializeDefinition(definition, 'tool').digest;
    return this.#allowOrHold(policy, call, facts, getDigest, opening && (await opening));
  }

  async decideTask(call: PolicyCall): Promise<Decision> {
    const { policy, pin } = await this.#findPolicyAndPin(call);
    if (!pin) return deny(policy, call, definitionRefusals.unknownTool);
    const { arguments: _decidedBefore, ...facts } = toFacts(call, isReadOnlyTool(pin));
    const refusal =
      findToolRefusal(policy, facts) ?? (isApproved(pin) ? findContentRefusal(policy, facts) : definitionRefusals.tool);
    if (refusal) return deny(policy, call, refusal);
    // Whoever has started a task may read its result; its bytes count.
    const opening = this.#openMeter(policy, call, 'tasks/get');
    return this.#allow(policy, call, facts, opening && (await opening));
  }

  async admit(call: PolicyCall): Promise<Decision> {
    const policy = await this.#policies.getCompiled(call.principal.hub.id);
    const isPrompt = call.isListed === undefined;
    const { arguments: _withoutRules, ...otherFacts } = toFacts(call, true);
    const facts = isPrompt ? { ...otherFacts, arguments: { value: call.ruleArguments ?? call.arguments } } : otherFacts;
    const refusal =
      (await this.#findAccessRefusal(policy, call)) ??
      (isPrompt ? undefined : findSizeRefusal(policy, 'arguments', call.arguments)) ??
      findContentRefusal(policy, facts);
    if (refusal) return deny(policy, call, refusal);
    const method = isPrompt ? 'prompts/get' : 'resources/read';
    const opening = this.#openMeter(policy, call, method);
    return this.#allow(policy, call, facts, opening && (await opening));
  }

  async limitHubTool(principal: HubPrincipal, tool: string): Promise<Decision> {
    const policy = await this.#policies.getCompiled(principal.hub.id);
    const reservation = this.#limits.reserve(policy.limits, toCallKey({ principal }, tool), this.#clock.monotonicMs());
    if ('refusal' in reservation) return { allowed: false, ...reservation.refusal };
    return { allowed: true, redact: digestOnly, release: reservation.release };
  }

  async findTaskRefusal(access: ItemAccess): Promise<PolicyRefusal | undefined> {
    const { policy, pin } = await this.#findPolicyAndPin(access);
    if (!pin) return definitionRefusals.unknownTool;
    const refusal = findToolRefusal(policy, { ...toItemFacts(access), isReadOnly: isReadOnlyTool(pin) });
    return refusal ?? (isApproved(pin) ? undefined : definitionRefusals.tool);
  }

  async findAccessRefusal(access: ItemAccess): Promise<PolicyRefusal | undefined> {
    return this.#findAccessRefusal(await this.#policies.getCompiled(access.principal.hub.id), access);
  }

  onChange(listener: (hubId: string) => void): () => void {
    return this.#policies.onChange(listener);
  }

  async getListenerLimits(hubId: string): Promise<ListenerQuotaLimits> {
    return (await this.#policies.getCompiled(hubId)).listeners;
  }

  async getApprovalRules(hubId: string): Promise<readonly ApprovalRule[]> {
    return (await this.#policies.getCompiled(hubId)).approvals;
  }

  async offersClientApprovals(hubId: string): Promise<boolean> {
    return (await this.#policies.getCompiled(hubId)).offersClientApprovals;
  }

  async recordsLists(hubId: string): Promise<boolean> {
    return (await this.#policies.getCompiled(hubId)).audit.lists;
  }

  async pinItems(connection: UpstreamConnection, kind: ItemKind, items: readonly UpstreamItem[]): Promise<void> {
    if (kind === 'tool') await this.#pins.record(connection, items);
    else await this.#itemPins.record(connection, kind, items);
  }

  async filterDirectMemory(
    principal: HubPrincipal,
    connection: UpstreamConnection,
    tools: readonly UpstreamTool[],
  ): Promise<ReadonlySet<string>> {
    const policy = await this.#policies.getCompiled(principal.hub.id);
    if (findSwitchedOff(policy, connection)) return new Set();
    const facts = { role: principal.role, caller: principal, connection: connection.name };
    const visible = tools.filter(
      (tool) =>
        findToolRefusal(policy, { ...facts, tool: tool.name, isReadOnly: isDeclaredReadOnly(tool) }) === undefined,
    );
    return new Set(visible.map(({ name }) => name));
  }

  async filterVisibleItems(
    principal: HubPrincipal,
    connection: UpstreamConnection,
    kind: ItemKind,
    items: readonly UpstreamItem[],
  ): Promise<ReadonlySet<string>> {
    const [policy, approved] = await Promise.all([
      this.#policies.getCompiled(principal.hub.id),
      this.#itemPins.record(connection, kind, items),
    ]);
    const facts = { role: principal.role, caller: principal, connection: connection.name };
    return new Set([...approved].filter((tool) => findItemRefusal(policy, { ...facts, tool }) === undefined));
  }

  async filterVisibleTools(
    principal: HubPrincipal,
    connection: UpstreamConnection,
    tools: readonly UpstreamTool[],
  ): Promise<ReadonlySet<string>> {
    const [policy, toolPins] = await Promise.all([
      this.#policies.getCompiled(principal.hub.id),
      this.#pins.record(connection, tools),
    ]);
    return filterVisibleNames(policy, principal, connection, tools, toolPins);
  }

  /** Both are nearly always in memory, where waiting for two promises at once costs as much as five of them. */
  async #findPolicyAndPin({ principal, connection, tool }: ItemAccess) {
    const policy = await this.#policies.getCompiled(principal.hub.id);
    const toolPins = await this.#pins.get(connection.id);
    return { policy, pin: toolPins.get(tool) };
  }

  async #findAccessRefusal(policy: CompiledPolicy, access: ItemAccess): Promise<PolicyRefusal | undefined> {
    const { connection, tool, isListed, original } = access;
    const facts = toItemFacts(access);
    const refusal = findItemRefusal(policy, isListed === undefined ? facts : { ...facts, isListed });
    if (refusal) return refusal;
    return isListed === undefined
      ? this.#itemPins.findPromptRefusal(connection, tool, original)
      : this.#itemPins.findResourceRefusal(connection, tool, isListed);
  }

  #openMeter(policy: CompiledPolicy, { principal }: PolicyCall, method: string): Promise<Metered> | undefined {
    return this.#budgets.open(principal.hub, policy)?.then((meter) => ({ meter, method }));
  }

  #allow(policy: CompiledPolicy, call: PolicyCall, facts: CallFacts, metered: Metered): Decision {
    const name = toFullToolName(facts);
    const budgeted = metered && { ...call, method: metered.method };
    const refusal = budgeted && metered.meter.findRefusal(budgeted);
    if (refusal) return deny(policy, call, refusal);
    const reservation = this.#limits.reserve(policy.limits, toCallKey(call, name), this.#clock.monotonicMs());
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
  }

  /** `digestPin` is called where an approval needs a digest of the definition that is called. */
  #allowOrHold(
    policy: CompiledPolicy,
    call: PolicyCall,
    facts: CallFacts,
    digestPin: () => string,
    metered: Metered,
  ): Decision {
    const rules = findApprovalRules(policy, facts);
    if (rules.length === 0) return this.#allow(policy, call, facts, metered);
    const pin = digestPin();
    const allow = (): Decision => this.#allow(policy, call, facts, metered);
    return { ...deny(policy, call, approvalRefusal), approval: { rules, policyRevision: policy.revision, pin, allow } };
  }
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

function toFacts(call: PolicyCall, isReadOnly: boolean): CallFacts {
  const { principal, connection, tool } = call;
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

function toItemFacts({ principal, connection, tool }: ItemAccess) {
  return { role: principal.role, caller: principal, connection: connection.name, tool };
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
