/**
 * Verifies agent tokens with the control plane. Results are cached for a few seconds, so that a conversation does not
 * cause a request per call; the control plane still authorises everything the agent does.
 */
import { createHash } from 'node:crypto';
import type { AgentIdentity } from '../../contract/agents/agent-api.ts';
import { type AgentRole, parseAgentToken } from '../../contract/agents/agent-token.ts';
import type { Clock } from '../../environment/clock.ts';
import { toVpError, VpError } from '../../errors/vp-error.ts';

/** Result of verifying a token. `unreachable` means that verification is not possible now; it is never a refusal. */
export type AgentVerification =
  | { readonly kind: 'known'; readonly role: AgentRole; readonly instance: string; readonly person: string }
  | { readonly kind: 'unrecognized' }
  | { readonly kind: 'unreachable'; readonly problem: string; readonly cure: string };

/** Authenticates agents of this executor's instance. Never rejects. */
export type AgentAuthenticator = { verify(token: string): Promise<AgentVerification> };

export type AgentAuthenticatorOptions = {
  /** The executor's instance; undefined until it has registered with its control plane. */
  instance(): string | undefined;
  /** `GET /api/v1/agent` with this token, bounded in time. Throws the error that the control plane returned. */
  fetchAgent(token: string): Promise<Pick<AgentIdentity, 'instance' | 'role' | 'person'>>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
};

const knownLifetimeMs = 10_000;
/** Short, so that a rotated token works as soon as its folder has it; long enough to absorb a misconfigured client. */
const unrecognizedLifetimeMs = 1_000;
const maxCachedTokens = 1_000;

const unrecognized: AgentVerification = { kind: 'unrecognized' };
const refusalCodes: ReadonlySet<string> = new Set([
  'CREDENTIAL_MISSING',
  'CREDENTIAL_INVALID',
  'CREDENTIAL_INSUFFICIENT',
]);

type CachedVerification = { untilMs: number; readonly verified: Promise<AgentVerification> };

export function createAgentAuthenticator({
  instance,
  fetchAgent,
  clock,
}: AgentAuthenticatorOptions): AgentAuthenticator {
  const cache = new Map<string, CachedVerification>();
  const evictExpired = (nowMs: number): void => {
    for (const [key, { untilMs }] of cache) if (untilMs <= nowMs) cache.delete(key);
    if (cache.size >= maxCachedTokens) cache.clear();
  };
  return {
    async verify(token) {
      const ownInstance = instance();
      if (ownInstance === undefined) return createNotRegisteredResult();
      if (parseAgentToken(token)?.instance !== ownInstance) return unrecognized;
      evictExpired(clock.monotonicMs());
      const key = createHash('sha256').update(`${ownInstance} ${token}`).digest('base64');
      const cached = cache.get(key);
      if (cached) return cached.verified;
      const verified = verifyWithControlPlane(fetchAgent, token, ownInstance);
      // Concurrent callers share one request.
      const entry: CachedVerification = { untilMs: Number.POSITIVE_INFINITY, verified };
      cache.set(key, entry);
      entry.untilMs = clock.monotonicMs() + getCacheLifetimeMs(await verified);
      return verified;
    },
  };
}

function getCacheLifetimeMs({ kind }: AgentVerification): number {
  if (kind === 'known') return knownLifetimeMs;
  return kind === 'unrecognized' ? unrecognizedLifetimeMs : 0;
}

async function verifyWithControlPlane(
  fetchAgent: AgentAuthenticatorOptions['fetchAgent'],
  token: string,
  ownInstance: string,
): Promise<AgentVerification> {
  try {
    const { instance, role, person } = await fetchAgent(token);
    return instance === ownInstance ? { kind: 'known', role, instance, person } : unrecognized;
  } catch (error) {
    if (error instanceof VpError && refusalCodes.has(error.code)) return unrecognized;
    const { message: problem, cure } = toVpError(error);
    return { kind: 'unreachable', problem, cure };
  }
}

function createNotRegisteredResult(): AgentVerification {
  return {
    kind: 'unreachable',
    problem: 'the executor has not reached its control plane yet',
    cure: 'try again in a few seconds; if it takes longer, read the log of the executor',
  };
}
