/**
 * The state of a pending sign-in, sealed in a cookie: only the browser that started it can finish it, and abandoned
 * sign-ins take no memory here.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { seal, unseal } from '../../secrets/sealing.ts';
import type { IdentityContext } from '../context.ts';
import { singleSignOnTimes } from './settings.ts';

const commonFields = { id: Type.String(), back: Type.String(), ends_at_ms: Type.Integer() };
const ProviderFlowSchema = Type.Object({
  ...commonFields,
  step: Type.Literal('asked'),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
});
const PasswordFlowSchema = Type.Object({
  ...commonFields,
  step: Type.Literal('proved'),
  issuer: Type.String(),
  subject: Type.String(),
  email: Type.String(),
});
const FlowSchema = Type.Union([ProviderFlowSchema, PasswordFlowSchema]);

/** The person signs in at the provider. */
export type ProviderFlow = typeof ProviderFlowSchema.static;
/** The provider has identified the person, who must still enter the password of the existing account. */
export type PasswordFlow = typeof PasswordFlowSchema.static;
export type SingleSignOnFlow = ProviderFlow | PasswordFlow;

const sealingContext = 'single-sign-on/flow';
const flowValidator = TypeCompiler.Compile(FlowSchema);

/** Seals a flow into the value of its cookie. */
export function sealFlow({ keys, random }: IdentityContext, flow: SingleSignOnFlow): string {
  return Buffer.from(seal(keys.dataKey, sealingContext, Buffer.from(JSON.stringify(flow)), random)).toString(
    'base64url',
  );
}

function parseFlow({ keys }: IdentityContext, cookie: string): SingleSignOnFlow | undefined {
  const plain = unseal(keys.dataKey, sealingContext, Buffer.from(cookie, 'base64url'));
  const value: unknown = plain && JSON.parse(Buffer.from(plain).toString());
  return flowValidator.Check(value) ? value : undefined;
}

/** Opens flows, and consumes each at most once. */
export type SingleSignOnFlows = {
  /** Undefined for a flow that was not sealed here, has expired or was consumed. */
  open(cookie: string | undefined): SingleSignOnFlow | undefined;
  /** False when the flow was already consumed. */
  consume(flow: SingleSignOnFlow): boolean;
};

const maxConsumed = 100_000;

/** Remembers consumed flows until they expire. */
export function createSingleSignOnFlows(context: IdentityContext): SingleSignOnFlows {
  const consumed = new Map<string, number>();
  return {
    open(cookie) {
      const flow = cookie === undefined ? undefined : parseFlow(context, cookie);
      return flow && flow.ends_at_ms > context.clock.nowMs() && !consumed.has(flow.id) ? flow : undefined;
    },
    consume({ id, ends_at_ms: expiresAtMs }) {
      if (consumed.has(id)) return false;
      for (const [oldest, expiresAtMs] of consumed) {
        if (expiresAtMs > context.clock.nowMs() && consumed.size < maxConsumed) break;
        consumed.delete(oldest);
      }
      consumed.set(id, expiresAtMs);
      return true;
    },
  };
}

/** The fields that every new flow has. */
export function createFlowFields({ random, clock }: IdentityContext, back: string) {
  return { id: random.token(12), back, ends_at_ms: clock.nowMs() + singleSignOnTimes.flowTtlMs };
}
