/** A policy as a form holds it, and back. What is left out of a policy stays left out, or is written as what it stands for. */
import type { HubMember } from '../../../contract/hub-api.ts';
import type { ArgumentRule, CallLimit, HubPolicyDocument, RoleRules } from '../../../contract/hub-policy-api.ts';
import { roleRules } from '../tool-rules.ts';
import type { ReadPolicy } from './read-policy.ts';

/** A role in a hub. */
export type HubRole = HubMember['role'];
/** `allow` undefined: every tool. */
export type RoleDraft = {
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly readOnly: boolean;
};
/** `schema` as it is written. */
export type RuleDraft = { readonly tools: string; readonly schema: string; readonly message: string };
/** Numbers as they are written; empty ones are left out. */
export type LimitDraft = {
  readonly per: CallLimit['per'];
  readonly tools: string;
  readonly callsAMinute: string;
  readonly atOnce: string;
};
/** Members that are undefined hold as in the default policy. */
export type PolicyDraft = {
  readonly roles: Readonly<Record<HubRole, RoleDraft>>;
  readonly rules: readonly RuleDraft[];
  readonly limits: readonly LimitDraft[] | undefined;
  readonly argumentKb: string;
  readonly answerKb: string;
  readonly timeoutS: string;
  readonly keepArguments: boolean;
  readonly hideFields: readonly string[] | undefined;
  readonly hide: readonly string[];
};

const kb = 1024;
const kbText = (bytes: number | undefined): string => (bytes === undefined ? '' : String(bytes / kb));
const text = (value: number | undefined): string => (value === undefined ? '' : String(value));

function roleDraft(document: HubPolicyDocument, role: HubRole): RoleDraft {
  const { allow, deny = [], read_only: readOnly = false } = roleRules(document, role);
  return { allow, deny, readOnly };
}

/** The form of a policy. */
export function draftOfPolicy(document: HubPolicyDocument): PolicyDraft {
  const { arguments: rules = [], limits, bounds = {}, audit = {} } = document;
  const role = (one: HubRole): RoleDraft => roleDraft(document, one);
  return {
    roles: { owner: role('owner'), member: role('member'), viewer: role('viewer') },
    rules: rules.map(({ tools, schema, message = '' }) => ({
      tools,
      schema: JSON.stringify(schema, undefined, 2),
      message,
    })),
    limits: limits?.map(({ per, tools = '', calls_a_minute: calls, at_once: atOnce }) => ({
      per,
      tools,
      callsAMinute: text(calls),
      atOnce: text(atOnce),
    })),
    argumentKb: kbText(bounds.argument_bytes),
    answerKb: kbText(bounds.answer_bytes),
    timeoutS: text(bounds.timeout_s),
    keepArguments: audit.keep_arguments ?? true,
    hideFields: audit.hide_fields,
    hide: audit.hide ?? [],
  };
}

function rulesOfRole({ allow, deny, readOnly }: RoleDraft): RoleRules {
  return {
    ...(allow ? { allow: [...allow] } : {}),
    ...(deny.length > 0 ? { deny: [...deny] } : {}),
    ...(readOnly ? { read_only: true } : {}),
  };
}

function limitOf({ per, tools, callsAMinute, atOnce }: LimitDraft): CallLimit {
  return {
    per,
    ...(tools === '' ? {} : { tools }),
    ...(callsAMinute === '' ? {} : { calls_a_minute: Number(callsAMinute) }),
    ...(atOnce === '' ? {} : { at_once: Number(atOnce) }),
  };
}

/** Undefined for a schema that is no JSON object. */
function ruleOf({ tools, schema, message }: RuleDraft): ArgumentRule | undefined {
  try {
    const value: unknown = JSON.parse(schema);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { tools, schema: { ...value }, ...(message === '' ? {} : { message }) };
  } catch {
    return undefined;
  }
}

function boundsOf({ argumentKb, answerKb, timeoutS }: PolicyDraft): NonNullable<HubPolicyDocument['bounds']> {
  return {
    ...(argumentKb === '' ? {} : { argument_bytes: Math.round(Number(argumentKb) * kb) }),
    ...(answerKb === '' ? {} : { answer_bytes: Math.round(Number(answerKb) * kb) }),
    ...(timeoutS === '' ? {} : { timeout_s: Number(timeoutS) }),
  };
}

/** The policy that a form stands for, or what is wrong with it. What it means the server checks. */
export function policyOf(draft: PolicyDraft): ReadPolicy {
  const { roles, limits, keepArguments, hideFields, hide } = draft;
  const rules = draft.rules.map(ruleOf);
  const wrong = rules.indexOf(undefined);
  if (wrong !== -1) return { problem: `Rule ${wrong + 1}: its schema is no JSON object` };
  if (draft.rules.some(({ tools }) => tools === '')) return { problem: 'A rule says of which tools it is' };
  const bounds = boundsOf(draft);
  return {
    document: {
      roles: {
        owner: rulesOfRole(roles.owner),
        member: rulesOfRole(roles.member),
        viewer: rulesOfRole(roles.viewer),
      },
      ...(rules.length === 0 ? {} : { arguments: rules.flatMap((rule) => (rule ? [rule] : [])) }),
      ...(limits ? { limits: limits.map(limitOf) } : {}),
      ...(Object.keys(bounds).length === 0 ? {} : { bounds }),
      audit: {
        keep_arguments: keepArguments,
        ...(hideFields ? { hide_fields: [...hideFields] } : {}),
        ...(hide.length === 0 ? {} : { hide: [...hide] }),
      },
    },
  };
}
