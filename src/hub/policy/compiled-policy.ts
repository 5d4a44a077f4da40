/** A policy with defaults applied and schemas compiled. */
import type { CallLimit, HubPolicyDocument, RoleRules } from '../../contract/hubs/policy-api.ts';
import type { CallLimits, HubRole } from '../types.ts';
import { type ArgumentCheck, compileArgumentSchema } from './argument-schema.ts';
import { normalizeFieldNames } from './field-pointers.ts';

export type CompiledPolicy = {
  readonly roles: Readonly<Record<HubRole, RoleRules>>;
  readonly arguments: readonly { readonly tools: string; readonly check: ArgumentCheck; readonly message: string }[];
  readonly limits: readonly CallLimit[];
  readonly argumentBytes: number;
  readonly bounds: CallLimits;
  /** `fields` are normalized by {@link normalizeFieldNames}. */
  readonly audit: { readonly keep: boolean; readonly fields: ReadonlySet<string>; readonly hide: readonly string[] };
};

/** Field names that usually hold secrets. */
export const defaultSecretFields: readonly string[] = [
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
  limits: [
    { per: 'token', calls_a_minute: 600, at_once: 32 },
    { per: 'person', calls_a_minute: 1200, at_once: 64 },
  ],
  bounds: { argument_bytes: 1_048_576, answer_bytes: 10_485_760, timeout_s: 120 },
  audit: { keep_arguments: true, hide_fields: [...defaultSecretFields], hide: [] },
} as const satisfies HubPolicyDocument;

/** Throws POLICY_INVALID. */
export function compilePolicy(document: HubPolicyDocument): CompiledPolicy {
  const { roles, bounds, audit, limits } = document;
  const bound = { ...defaultPolicy.bounds, ...bounds };
  const auditSettings = { ...defaultPolicy.audit, ...audit };
  return {
    roles: { ...defaultPolicy.roles, ...roles },
    arguments: (document.arguments ?? []).map(({ tools, schema, message }, index) => ({
      tools,
      check: compileArgumentSchema(schema, `arguments/${index}/schema`),
      message: message ?? 'the arguments are not allowed by this hub',
    })),
    limits: limits ?? defaultPolicy.limits,
    argumentBytes: bound.argument_bytes,
    bounds: { timeoutMs: bound.timeout_s * 1000, maxResponseBytes: bound.answer_bytes },
    audit: {
      keep: auditSettings.keep_arguments,
      fields: normalizeFieldNames(auditSettings.hide_fields),
      hide: auditSettings.hide,
    },
  };
}
