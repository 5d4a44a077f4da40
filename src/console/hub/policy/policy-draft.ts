/** Converts a policy to form fields and back. Omitted members stay omitted or become their default. */
import type { HubMember } from '../../../contract/hubs/hubs-api.ts';
import type { ArgumentRule, CallLimit, HubPolicyDocument, RoleRules } from '../../../contract/hubs/policy-api.ts';
import type { ParsedPolicy } from './parse-policy.ts';
import { getRoleRules } from './role-rules.ts';

export type PolicyRole = HubMember['role'];
/** `allow` undefined allows every tool. */
export type RoleDraft = {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly readOnly: boolean;
};
/** `schema` is JSON text. */
export type ArgumentRuleDraft = { readonly tools: string; readonly schema: string; readonly message: string };
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
  readonly rules: readonly ArgumentRuleDraft[];
  readonly limits: readonly LimitDraft[] | undefined;
  readonly argumentKb: string;
  readonly answerKb: string;
  readonly timeoutS: string;
  readonly keepArguments: boolean;
  readonly hideFields: readonly string[] | undefined;
  readonly hide: readonly string[];
};

const bytesPerKb = 1024;
const formatKb = (bytes: number | undefined): string => (bytes === undefined ? '' : String(bytes / bytesPerKb));
const formatNumber = (value: number | undefined): string => (value === undefined ? '' : String(value));

function toRoleDraft(document: HubPolicyDocument, role: PolicyRole): RoleDraft {
  const { allow, deny = [], read_only: readOnly = false } = getRoleRules(document, role);
  return { allow, deny, readOnly };
}

export function createPolicyDraft(document: HubPolicyDocument): PolicyDraft {
  const { arguments: rules = [], limits, bounds = {}, audit = {} } = document;
  const toDraft = (name: PolicyRole): RoleDraft => toRoleDraft(document, name);
  return {
    roles: { owner: toDraft('owner'), member: toDraft('member'), viewer: toDraft('viewer') },
    rules: rules.map(({ tools, schema, message = '' }) => ({
      tools,
      schema: JSON.stringify(schema, undefined, 2),
      message,
    })),
    limits: limits?.map(({ per, tools = '', calls_a_minute: calls, at_once: atOnce }) => ({
      per,
      tools,
      callsAMinute: formatNumber(calls),
      atOnce: formatNumber(atOnce),
    })),
    argumentKb: formatKb(bounds.argument_bytes),
    answerKb: formatKb(bounds.answer_bytes),
    timeoutS: formatNumber(bounds.timeout_s),
    keepArguments: audit.keep_arguments ?? true,
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

function toCallLimit({ per, tools, callsAMinute, atOnce }: LimitDraft): CallLimit {
  return {
    per,
    ...(tools === '' ? {} : { tools }),
    ...(callsAMinute === '' ? {} : { calls_a_minute: Number(callsAMinute) }),
    ...(atOnce === '' ? {} : { at_once: Number(atOnce) }),
  };
}

/** Undefined if the schema is not a JSON object. */
function toArgumentRule({ tools, schema, message }: ArgumentRuleDraft): ArgumentRule | undefined {
  try {
    const value: unknown = JSON.parse(schema);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { tools, schema: { ...value }, ...(message === '' ? {} : { message }) };
  } catch {
    return undefined;
  }
}

function toBounds({ argumentKb, answerKb, timeoutS }: PolicyDraft): NonNullable<HubPolicyDocument['bounds']> {
  return {
    ...(argumentKb === '' ? {} : { argument_bytes: Math.round(Number(argumentKb) * bytesPerKb) }),
    ...(answerKb === '' ? {} : { answer_bytes: Math.round(Number(answerKb) * bytesPerKb) }),
    ...(timeoutS === '' ? {} : { timeout_s: Number(timeoutS) }),
  };
}

/** Checks the syntax only. The server validates the policy. */
export function parsePolicyDraft(draft: PolicyDraft): ParsedPolicy {
  const { roles, limits, keepArguments, hideFields, hide } = draft;
  const rules = draft.rules.map(toArgumentRule);
  const invalidIndex = rules.indexOf(undefined);
  if (invalidIndex !== -1) return { problem: `Rule ${invalidIndex + 1}: the schema must be a JSON object` };
  if (draft.rules.some(({ tools }) => tools === '')) return { problem: 'Every rule must name its tools' };
  const bounds = toBounds(draft);
  return {
    document: {
      roles: {
        owner: toRoleRules(roles.owner),
        member: toRoleRules(roles.member),
        viewer: toRoleRules(roles.viewer),
      },
      ...(rules.length === 0 ? {} : { arguments: rules.flatMap((rule) => (rule ? [rule] : [])) }),
      ...(limits ? { limits: limits.map(toCallLimit) } : {}),
      ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
      audit: {
        keep_arguments: keepArguments,
        ...(hideFields ? { hide_fields: [...hideFields] } : {}),
        ...(hide.length === 0 ? {} : { hide: [...hide] }),
      },
    },
  };
}
