/** A policy ready to decide: defaults filled in, schemas compiled. */
import type { CallLimit, HubPolicyDocument, RoleRules } from '../../contract/hub-policy-api.ts';
import type { CallLimits, HubRole } from '../words.ts';
import { type ArgumentCheck, compileArgumentSchema } from './argument-schema.ts';
import { plainNames } from './hidden-fields.ts';

/** See the file's header. */
export type CompiledPolicy = {
  readonly roles: Readonly<Record<HubRole, RoleRules>>;
  readonly arguments: readonly { readonly tools: string; readonly check: ArgumentCheck; readonly message: string }[];
  readonly limits: readonly CallLimit[];
  readonly argumentBytes: number;
  readonly bounds: CallLimits;
  /** `fields` as {@link plainNames} gives them. */
  readonly audit: { readonly keep: boolean; readonly fields: ReadonlySet<string>; readonly hide: readonly string[] };
};

/** Fields that hold secrets in most programs. */
export const usualSecretFields: readonly string[] = [
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

/** What holds in a hub that says nothing: viewers read, nobody takes all of the service. */
export const defaultPolicy = {
  roles: { owner: {}, member: {}, viewer: { read_only: true } },
  arguments: [],
  limits: [
    { per: 'token', calls_a_minute: 600, at_once: 32 },
    { per: 'person', calls_a_minute: 1200, at_once: 64 },
  ],
  bounds: { argument_bytes: 1_048_576, answer_bytes: 10_485_760, timeout_s: 120 },
  audit: { keep_arguments: true, hide_fields: [...usualSecretFields], hide: [] },
} as const satisfies HubPolicyDocument;

/** Throws POLICY_INVALID. */
export function compilePolicy(document: HubPolicyDocument): CompiledPolicy {
  const { roles, bounds, audit, limits } = document;
  const bound = { ...defaultPolicy.bounds, ...bounds };
  const kept = { ...defaultPolicy.audit, ...audit };
  return {
    roles: { ...defaultPolicy.roles, ...roles },
    arguments: (document.arguments ?? []).map(({ tools, schema, message }, at) => ({
      tools,
      check: compileArgumentSchema(schema, `arguments/${at}/schema`),
      message: message ?? 'the arguments are not allowed by this hub',
    })),
    limits: limits ?? defaultPolicy.limits,
    argumentBytes: bound.argument_bytes,
    bounds: { timeoutMs: bound.timeout_s * 1000, answerBytes: bound.answer_bytes },
    audit: { keep: kept.keep_arguments, fields: plainNames(kept.hide_fields), hide: kept.hide },
  };
}
