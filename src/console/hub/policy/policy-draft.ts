/** Converts a policy to form fields and back. Omitted members stay omitted or become their default. */
import type { HubMember } from '../../../contract/hubs/hubs-api.ts';
import type {
  ArgumentRule,
  CallerRule,
  CallLimit,
  HubPolicyDocument,
  RoleRules,
} from '../../../contract/hubs/policy-api.ts';
import { isObject } from '../../../json/json-object.ts';
import { type ApprovalRuleDraft, toApprovalRule, toApprovalRuleDraft } from './approval-rule-draft.ts';
import { type BudgetDraft, findEmptyBudget, toBudgetDraft, toUsageBudget } from './budget-draft.ts';
import type { ParsedPolicy } from './parse-policy.ts';
import { getRoleRules } from './role-rules.ts';

export type PolicyRole = HubMember['role'];
/** `allow` undefined allows every tool. */
export type RoleDraft = {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly readOnly: boolean;
};
/** An empty list is for all people, tokens or clients. */
export type CallerDraft = RoleDraft & {
  readonly people: readonly string[];
  readonly tokens: readonly string[];
  readonly clients: readonly string[];
};
/** `schema` is JSON text. */
export type ArgumentRuleDraft = {
  readonly tools: string;
  readonly part: NonNullable<ArgumentRule['part']>;
  readonly schema: string;
  readonly message: string;
};
/** Numbers are text. Empty ones are omitted from the policy. */
export type LimitDraft = {
  readonly per: CallLimit['per'];
  readonly tools: string;
  readonly callsAMinute: string;
  readonly atOnce: string;
};
/** Undefined members take the value of the default policy. */
export type PolicyDraft = {
  readonly roles: Readonly<Record<PolicyRole, RoleDraft>>;
  readonly callers: readonly CallerDraft[];
  readonly rules: readonly ArgumentRuleDraft[];
  readonly approvals: readonly ApprovalRuleDraft[];
  readonly approveByClient: HubPolicyDocument['approve_by_client'];
  readonly newTools: HubPolicyDocument['new_tools'];
  readonly newPrompts: HubPolicyDocument['new_prompts'];
  readonly newResources: HubPolicyDocument['new_resources'];
  readonly resources: HubPolicyDocument['resources'];
  readonly directMemory: HubPolicyDocument['direct_memory'];
  readonly limits: readonly LimitDraft[] | undefined;
  readonly budgets: readonly BudgetDraft[];
  readonly argumentKib: string;
  readonly metaKib: string;
  readonly answerKib: string;
  readonly timeoutS: string;
  readonly streamsPerPerson: string;
  readonly streamsPerHub: string;
  readonly resourcesPerPerson: string;
  readonly resourcesPerHub: string;
  readonly keepArguments: boolean;
  readonly keepMeta: boolean;
  readonly lists: boolean;
  readonly hideFields: readonly string[] | undefined;
  readonly hide: readonly string[];
};

const bytesPerKib = 1024;
const formatKib = (bytes: number | undefined): string => (bytes === undefined ? '' : String(bytes / bytesPerKib));
const formatNumber = (value: number | undefined): string => (value === undefined ? '' : String(value));

function toRoleDraft({ allow, deny = [], read_only: readOnly = false }: RoleRules): RoleDraft {
  return { allow, deny, readOnly };
}

function toCallerDraft({ people = [], tokens = [], clients = [], ...rules }: CallerRule): CallerDraft {
  return { people, tokens, clients, ...toRoleDraft(rules) };
}

export function createPolicyDraft(document: HubPolicyDocument): PolicyDraft {
  const { arguments: rules = [], limits, bounds = {}, listeners = {}, audit = {} } = document;
  const toDraft = (name: PolicyRole): RoleDraft => toRoleDraft(getRoleRules(document, name));
  return {
    roles: { owner: toDraft('owner'), member: toDraft('member'), viewer: toDraft('viewer') },
    callers: (document.callers ?? []).map(toCallerDraft),
    approveByClient: document.approve_by_client,
    newTools: document.new_tools,
    newPrompts: document.new_prompts,
    newResources: document.new_resources,
    resources: document.resources,
    directMemory: document.direct_memory,
    approvals: (document.approvals ?? []).map(toApprovalRuleDraft),
    rules: rules.map(({ tools, part = 'arguments', schema, message = '' }) => ({
      tools,
      part,
      schema: JSON.stringify(schema, undefined, 2),
      message,
    })),
    limits: limits?.map(({ per, tools = '', calls_a_minute: calls, at_once: atOnce }) => ({
      per,
      tools,
      callsAMinute: formatNumber(calls),
      atOnce: formatNumber(atOnce),
    })),
    budgets: (document.budgets ?? []).map(toBudgetDraft),
    argumentKib: formatKib(bounds.argument_bytes),
    metaKib: formatKib(bounds.meta_bytes),
    answerKib: formatKib(bounds.answer_bytes),
    timeoutS: formatNumber(bounds.timeout_s),
    streamsPerPerson: formatNumber(listeners.streams_per_person),
    streamsPerHub: formatNumber(listeners.streams_per_hub),
    resourcesPerPerson: formatNumber(listeners.resources_per_person),
    resourcesPerHub: formatNumber(listeners.resources_per_hub),
    keepArguments: audit.keep_arguments ?? true,
    keepMeta: audit.keep_meta ?? false,
    lists: audit.lists ?? false,
    hideFields: audit.hide_fields,
    hide: audit.hide ?? [],
  };
}

function toRoleRules({ allow, deny, readOnly }: RoleDraft): RoleRules {
  return {
    ...(allow ? { allow: [...allow] } : {}),
    ...(deny.length > 0 ? { deny: [...deny] } : {}),
    ...(readOnly ? { read_only: true } : {}),
  };
}

function toCallerRule({ people, tokens, clients, ...rules }: CallerDraft): CallerRule {
  return {
    ...(people.length > 0 ? { people: [...people] } : {}),
    ...(tokens.length > 0 ? { tokens: [...tokens] } : {}),
    ...(clients.length > 0 ? { clients: [...clients] } : {}),
    ...toRoleRules(rules),
  };
}

function toCallLimit({ per, tools, callsAMinute, atOnce }: LimitDraft): CallLimit {
  return {
    per,
    ...(tools === '' ? {} : { tools }),
    ...(callsAMinute === '' ? {} : { calls_a_minute: Number(callsAMinute) }),
    ...(atOnce === '' ? {} : { at_once: Number(atOnce) }),
  };
}

/** Undefined if the schema is not a JSON object. */
function toArgumentRule({ tools, part, schema, message }: ArgumentRuleDraft): ArgumentRule | undefined {
  try {
    const value: unknown = JSON.parse(schema);
    if (!isObject(value)) return undefined;
    const partMember = part === 'arguments' ? {} : { part };
    return { tools, ...partMember, schema: { ...value }, ...(message === '' ? {} : { message }) };
  } catch {
    return undefined;
  }
}

type Bounds = NonNullable<HubPolicyDocument['bounds']>;

function toBounds({ argumentKib, metaKib, answerKib, timeoutS }: PolicyDraft): Bounds {
  return {
    ...(argumentKib === '' ? {} : { argument_bytes: Math.round(Number(argumentKib) * bytesPerKib) }),
    ...(metaKib === '' ? {} : { meta_bytes: Math.round(Number(metaKib) * bytesPerKib) }),
    ...(answerKib === '' ? {} : { answer_bytes: Math.round(Number(answerKib) * bytesPerKib) }),
    ...(timeoutS === '' ? {} : { timeout_s: Number(timeoutS) }),
  };
}

type Listeners = NonNullable<HubPolicyDocument['listeners']>;

function toListeners(draft: PolicyDraft): Listeners {
  const { streamsPerPerson, streamsPerHub, resourcesPerPerson, resourcesPerHub } = draft;
  return {
    ...(streamsPerPerson === '' ? {} : { streams_per_person: Number(streamsPerPerson) }),
    ...(streamsPerHub === '' ? {} : { streams_per_hub: Number(streamsPerHub) }),
    ...(resourcesPerPerson === '' ? {} : { resources_per_person: Number(resourcesPerPerson) }),
    ...(resourcesPerHub === '' ? {} : { resources_per_hub: Number(resourcesPerHub) }),
  };
}

/** What happens with definitions that servers add and resources that they do not list, and whether memory has its own address. */
function toDefinitionSettings(draft: PolicyDraft): HubPolicyDocument {
  const { newTools, newPrompts, newResources, resources, directMemory } = draft;
  return {
    ...(newTools ? { new_tools: newTools } : {}),
    ...(newPrompts ? { new_prompts: newPrompts } : {}),
    ...(newResources ? { new_resources: newResources } : {}),
    ...(resources ? { resources } : {}),
    ...(directMemory ? { direct_memory: directMemory } : {}),
  };
}

/** Checks the syntax only. The server validates the policy. */
export function parsePolicyDraft(draft: PolicyDraft): ParsedPolicy {
  const { roles, callers, limits, keepArguments, keepMeta, lists, hideFields, hide } = draft;
  const unnamed = callers.findIndex((rule) => rule.people.length + rule.tokens.length + rule.clients.length === 0);
  if (unnamed !== -1) return { problem: `Caller rule ${unnamed + 1}: name people, tokens or clients` };
  const rules = draft.rules.map(toArgumentRule);
  const invalidIndex = rules.indexOf(undefined);
  if (invalidIndex !== -1) return { problem: `Rule ${invalidIndex + 1}: the schema must be a JSON object` };
  if ([...draft.rules, ...draft.approvals].some(({ tools }) => tools === ''))
    return { problem: 'Every rule must name its tools' };
  const emptyBudget = findEmptyBudget(draft.budgets);
  if (emptyBudget !== undefined) return { problem: `Budget ${emptyBudget}: name calls, MiB or tokens` };
  const bounds = toBounds(draft);
  const listeners = toListeners(draft);
  return {
    document: {
      roles: {
        owner: toRoleRules(roles.owner),
        member: toRoleRules(roles.member),
        viewer: toRoleRules(roles.viewer),
      },
      ...(callers.length === 0 ? {} : { callers: callers.map(toCallerRule) }),
      ...toDefinitionSettings(draft),
      ...(rules.length === 0 ? {} : { arguments: rules.flatMap((rule) => (rule ? [rule] : [])) }),
      ...(limits ? { limits: limits.map(toCallLimit) } : {}),
      ...(draft.budgets.length === 0 ? {} : { budgets: draft.budgets.map(toUsageBudget) }),
      ...(draft.approvals.length === 0 ? {} : { approvals: draft.approvals.map(toApprovalRule) }),
      ...(draft.approveByClient ? { approve_by_client: draft.approveByClient } : {}),
      ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
      ...(Object.keys(listeners).length === 0 ? {} : { listeners }),
      audit: {
        keep_arguments: keepArguments,
        ...(keepMeta ? { keep_meta: true } : {}),
        ...(lists ? { lists: true } : {}),
        ...(hideFields ? { hide_fields: [...hideFields] } : {}),
        ...(hide.length === 0 ? {} : { hide: [...hide] }),
      },
    },
  };
}
