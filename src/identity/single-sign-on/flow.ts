/**
 * A sign-in under way, sealed into a cookie of the browser that began it: nobody else can finish it, and nothing is kept
 * here for those who never come back.
 */
import { Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { seal, unseal } from '../../secrets/sealing.ts';
import type { IdentityContext } from '../context.ts';
import { singleSignOnTimes } from './settings.ts';

const Common = { id: Type.String(), back: Type.String(), ends_at_ms: Type.Integer() };
const Asked = Type.Object({
  ...Common,
  step: Type.Literal('asked'),
  state: Type.String(),
  nonce: Type.String(),
  verifier: Type.String(),
});
const Proved = Type.Object({
  ...Common,
  step: Type.Literal('proved'),
  issuer: Type.String(),
  subject: Type.String(),
  email: Type.String(),
});
const FlowShape = Type.Union([Asked, Proved]);

/** The browser is at the provider. */
export type AskedFlow = typeof Asked.static;
/** The provider has said who it is; the password of the account here is still to be typed. */
export type ProvedFlow = typeof Proved.static;
/** Either. */
export type Flow = AskedFlow | ProvedFlow;

const place = 'single-sign-on/flow';
const check = TypeCompiler.Compile(FlowShape);

/** The cookie's value. */
export function sealFlow({ keys, random }: IdentityContext, flow: Flow): string {
  return Buffer.from(seal(keys.dataKey, place, Buffer.from(JSON.stringify(flow)), random)).toString('base64url');
}

function parsed({ keys }: IdentityContext, cookie: string): Flow | undefined {
  const plain = unseal(keys.dataKey, place, Buffer.from(cookie, 'base64url'));
  const value: unknown = plain && JSON.parse(Buffer.from(plain).toString());
  return check.Check(value) ? value : undefined;
}

/** Flows, each good for one end. */
export type Flows = {
  /** Undefined for one that was not begun here, has expired or has ended. */
  open(cookie: string | undefined): Flow | undefined;
  /** False when it has ended already. */
  end(flow: Flow): boolean;
};

const mostEnded = 100_000;

/** Remembers what has ended until it would have expired. */
export function createFlows(context: IdentityContext): Flows {
  const ended = new Map<string, number>();
  return {
    open(cookie) {
      const flow = cookie === undefined ? undefined : parsed(context, cookie);
      return flow && flow.ends_at_ms > context.clock.nowMs() && !ended.has(flow.id) ? flow : undefined;
    },
    end({ id, ends_at_ms: endsAtMs }) {
      if (ended.has(id)) return false;
      for (const [oldest, untilMs] of ended) {
        if (untilMs > context.clock.nowMs() && ended.size < mostEnded) break;
        ended.delete(oldest);
      }
      ended.set(id, endsAtMs);
      return true;
    },
  };
}

/** What every new flow has. */
export function newFlow({ random, clock }: IdentityContext, back: string) {
  return { id: random.token(12), back, ends_at_ms: clock.nowMs() + singleSignOnTimes.flowMs };
}
