/** A policy with defaults applied and schemas compiled. */
import { defaultCallLimits } from '../../contract/hubs/default-call-limits.ts';
import type {
  ApprovalRule,
  ArgumentRule,
  CallerRule,
  CallLimit,
  HubPolicyDocument,
  RoleRules,
  UsageBudget,
} from '../../contract/hubs/policy-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { HubRole } from '../access/principal.ts';
import type { ItemKind } from '../connections/connection.ts';
import { type ArgumentCheck, compileArgumentSchema } from './argument-schema.ts';
import type { CallLimits, ListenerQuotaLimits } from './call-policy.ts';
import { type FieldNames, normalizeFieldNames } from './field-pointers.ts';

/** What an argument rule checks. */
export type CallPart = NonNullable<ArgumentRule['part']>;

type CompiledArgumentRule = {
  readonly tools: string;
  readonly part: CallPart;
  readonly check: ArgumentCheck;
  readonly message: string;
};

export type CompiledPolicy = {
  /** Of the stored policy; 0 for the default policy and in trials. */
  readonly revision: number;
  readonly roles: Readonly<Record<HubRole, RoleRules>>;
  readonly callers: readonly CallerRule[];
  readonly arguments: readonly CompiledArgumentRule[];
  readonly limits: readonly CallLimit[];
  readonly budgets: readonly UsageBudget[];
  readonly approvals: readonly ApprovalRule[];
  /** Whether approvers may decide in a form of their MCP client. */
  readonly offersClientApprovals: boolean;
  /** The largest size of each part, in bytes. */
  readonly partBytes: Readonly<Record<CallPart, number>>;
  readonly bounds: CallLimits;
  /** Whether resources may be read that their server neither lists nor has a template for. */
  readonly readsUnlisted: boolean;
  /** Whether the memory service can be called at its own address. */
  readonly offersDirectMemory: boolean;
  /** Whether definitions that a known connection adds wait for an owner. */
  readonly holdsNew: Readonly<Record<ItemKind, boolean>>;
  readonly listeners: ListenerQuotaLimits;
  readonly audit: {
    readonly keep: boolean;
    readonly keepMeta: boolean;
    readonly lists: boolean;
    readonly fields: FieldNames;
    readonly hide: readonly string[];
  };
};

/** Field names that usually hold secrets. */
const defaultSecretFields: readonly string[] = [
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'secret',
  'client_secret',
  'token',
  'access_token',
  'refresh_token',
  'id_token',
  'api_key',
  'apikey',
  'private_key',
  'authorization',
  'cookie',
  'set_cookie',
  'credential',
  'credentials',
  'connection_string',
  'otp',
  'pin',
  'cvv',
];

/** The default: viewers only read, and no token or person uses up the service. */
export const defaultPolicy = {
  roles: { owner: {}, member: {}, viewer: { read_only: true } },
  arguments: [],
  limits: [...defaultCallLimits],
  budgets: [],
  approvals: [],
  approve_by_client: 'refuse',
  callers: [],
  bounds: {
    argument_bytes: 1_048_576,
    meta_bytes: 65_536,
    answer_bytes: 10_485_760,
    timeout_s: 120,
  },
  new_tools: 'hold',
  new_prompts: 'hold',
  new_resources: 'hold',
  resources: 'listed',
  direct_memory: 'offer',
  listeners: { streams_per_person: 256, streams_per_hub: 2000, resources_per_person: 256, resources_per_hub: 1000 },
  audit: { keep_arguments: true, keep_meta: false, lists: false, hide_fields: [...defaultSecretFields], hide: [] },
} as const satisfies HubPolicyDocument;

function compileArgumentRules({ arguments: rules = [] }: HubPolicyDocument): CompiledArgumentRule[] {
  return rules.map(({ tools, part = 'arguments', schema, message }, index) => ({
    tools,
    part,
    check: compileArgumentSchema(schema, `arguments/${index}/schema`),
    message: message ?? 'the arguments are not allowed by this hub',
  }));
}

function assertNamesCallers({ people, tokens, clients }: CallerRule, index: number): void {
  if (people ?? tokens ?? clients) return;
  throw vpError('POLICY_INVALID', { where: `callers/${index}`, problem: 'names no people, tokens or clients' });
}

function assertNamesAmounts({ calls, bytes, estimated_tokens: tokens }: UsageBudget, index: number): void {
  if (calls ?? bytes ?? tokens) return;
  throw vpError('POLICY_INVALID', { where: `budgets/${index}`, problem: 'names no calls, bytes or estimated_tokens' });
}

/** Throws POLICY_INVALID. */
export function compilePolicy(document: HubPolicyDocument, revision = 0): CompiledPolicy {
  const { roles, callers = defaultPolicy.callers, limits, budgets = defaultPolicy.budgets } = document;
  callers.forEach(assertNamesCallers);
  budgets.forEach(assertNamesAmounts);
  const bound = { ...defaultPolicy.bounds, ...document.bounds };
  const listeners = { ...defaultPolicy.listeners, ...document.listeners };
  const auditSettings = { ...defaultPolicy.audit, ...document.audit };
  const isHeld = (setting: 'hold' | 'offer' | undefined): boolean => setting !== 'offer';
  return {
    revision,
    roles: { ...defaultPolicy.roles, ...roles },
    callers,
    arguments: compileArgumentRules(document),
    limits: limits ?? defaultPolicy.limits,
    budgets,
    offersClientApprovals: (document.approve_by_client ?? defaultPolicy.approve_by_client) === 'offer',
    approvals: document.approvals ?? defaultPolicy.approvals,
    partBytes: { arguments: bound.argument_bytes, meta: bound.meta_bytes, answers: bound.argument_bytes },
    readsUnlisted: (document.resources ?? defaultPolicy.resources) === 'any',
    offersDirectMemory: (document.direct_memory ?? defaultPolicy.direct_memory) === 'offer',
    holdsNew: {
      tool: isHeld(document.new_tools),
      prompt: isHeld(document.new_prompts),
      resource: isHeld(document.new_resources),
      template: isHeld(document.new_resources),
    },
    listeners: {
      streams: { perPerson: listeners.streams_per_person, perHub: listeners.streams_per_hub },
      resources: { perPerson: listeners.resources_per_person, perHub: listeners.resources_per_hub },
    },
    bounds: { timeoutMs: bound.timeout_s * 1000, maxResponseBytes: bound.answer_bytes },
    audit: {
      keep: auditSettings.keep_arguments,
      keepMeta: auditSettings.keep_meta,
      lists: auditSettings.lists,
      fields: normalizeFieldNames(auditSettings.hide_fields),
      hide: auditSettings.hide,
    },
  };
}
