/** Refusals, and what the audit stores of a call. */
import {
  type Decision,
  digestOnly,
  type PolicyCall,
  type PolicyRefusal,
  type RecordedParts,
  type Redaction,
} from './call-policy.ts';
import { hasRuleFor, toFullToolName } from './call-rules.ts';
import type { CompiledPolicy } from './compiled-policy.ts';
import { findFieldPointers } from './field-pointers.ts';

export function deny(
  policy: CompiledPolicy,
  call: PolicyCall,
  { reason, cure, details }: PolicyRefusal,
): RefusedDecision {
  const redact = toRedaction(policy, call.arguments);
  const recordedParts = toRecordedParts(policy, call);
  return { allowed: false, reason, cure, redact, recordedParts, ...(details && { details }) };
}

type RefusedDecision = Extract<Decision, { readonly allowed: false }>;

const noParts: RecordedParts = {};

export function toRecordedParts(policy: CompiledPolicy, call: PolicyCall): RecordedParts {
  const { meta, answers } = call;
  if (meta === undefined && answers === undefined) return noParts;
  const name = toFullToolName({ connection: call.connection.name, tool: call.tool });
  const recordsMeta = policy.audit.keepMeta || hasRuleFor(policy, name, 'meta');
  return {
    meta: recordsMeta ? toRedaction(policy, meta) : undefined,
    answers: toRedaction(policy, answers),
  };
}

export function toRedaction({ audit }: CompiledPolicy, value: unknown): Redaction {
  if (!audit.keep) return digestOnly;
  return { keep: true, hide: [...audit.hide, ...findFieldPointers(value, audit.fields)] };
}
