/**
 * Whom an agent's token stands for, as the control plane says. An answer is kept for a moment, so that a conversation of
 * an agent does not ask at every call; what the agent then does is authorised by the control plane once more.
 */
import { createHash } from 'node:crypto';
import type { AgentSelf } from '../contract/agent-api.ts';
import { type AgentRole, agentClaimOf } from '../contract/agent-token.ts';
import type { Clock } from '../environment/clock.ts';
import { asVpError, VpError } from '../errors/vp-error.ts';

/** What became of a token. `unreachable`: nobody can say now; never the same as a refusal. */
export type Verified =
  | { readonly kind: 'known'; readonly role: AgentRole; readonly instance: string; readonly person: string }
  | { readonly kind: 'unrecognized' }
  | { readonly kind: 'unreachable'; readonly problem: string; readonly cure: string };

/** Lets agents of this executor's instance in. Never rejects. */
export type AgentDoor = { verify(token: string): Promise<Verified> };

/** What the door asks. */
export type AgentDoorOptions = {
  /** Of this executor; undefined until it has greeted its control plane. */
  instance(): string | undefined;
  /** `GET /api/v1/agent` with this token, bounded in time. Throws what the control plane refused with. */
  ask(token: string): Promise<Pick<AgentSelf, 'instance' | 'role' | 'person'>>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

const knownForMs = 10_000;
/** A rotated token must work as soon as its folder has it; a stray client must not be a burden. */
const unrecognizedForMs = 1_000;
const mostKept = 1_000;

const unrecognized: Verified = { kind: 'unrecognized' };
const refusals: ReadonlySet<string> = new Set(['CREDENTIAL_MISSING', 'CREDENTIAL_INVALID', 'CREDENTIAL_INSUFFICIENT']);

type Kept = { untilMs: number; readonly verified: Promise<Verified> };

/** See {@link AgentDoor}. */
export function agentDoor({ instance, ask, clock }: AgentDoorOptions): AgentDoor {
  const answers = new Map<string, Kept>();
  const forget = (nowMs: number): void => {
    for (const [key, { untilMs }] of answers) if (untilMs <= nowMs) answers.delete(key);
    if (answers.size >= mostKept) answers.clear();
  };
  return {
    async verify(token) {
      const own = instance();
      if (own === undefined) return notGreeted();
      if (agentClaimOf(token)?.instance !== own) return unrecognized;
      forget(clock.monotonicMs());
      const key = createHash('sha256').update(`${own} ${token}`).digest('base64');
      const known = answers.get(key);
      if (known) return known.verified;
      const verified = asked(ask, token, own);
      // Callers that come together wait for one answer.
      const kept: Kept = { untilMs: Number.POSITIVE_INFINITY, verified };
      answers.set(key, kept);
      kept.untilMs = clock.monotonicMs() + lifeMs(await verified);
      return verified;
    },
  };
}

function lifeMs({ kind }: Verified): number {
  if (kind === 'known') return knownForMs;
  return kind === 'unrecognized' ? unrecognizedForMs : 0;
}

async function asked(ask: AgentDoorOptions['ask'], token: string, own: string): Promise<Verified> {
  try {
    const { instance, role, person } = await ask(token);
    return instance === own ? { kind: 'known', role, instance, person } : unrecognized;
  } catch (error) {
    if (error instanceof VpError && refusals.has(error.code)) return unrecognized;
    const { message: problem, cure } = asVpError(error);
    return { kind: 'unreachable', problem, cure };
  }
}

function notGreeted(): Verified {
  return {
    kind: 'unreachable',
    problem: 'the executor has not reached its control plane yet',
    cure: 'try again in a few seconds; the log of the executor says why it takes longer',
  };
}
