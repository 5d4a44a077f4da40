/**
 * Sessions of clients whose roots have changed, and which of them a server means that asks for roots apart from a call. A server asks
 * soon after it was told; what it asks later belongs to something else.
 */
import type { Clock } from '../../environment/clock.ts';
import type { UpstreamQuestion } from './upstream-call.ts';

/** A session whose client has said that its roots have changed. */
export type RootsSession = {
  readonly sessionId: string;
  ask(question: UpstreamQuestion): Promise<Record<string, unknown>>;
};

const maxAgeMs = 10_000;
const maxSessions = 64;

export class ChangedRoots {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By the id of the session, the latest last. */
  readonly #changes = new Map<string, { readonly session: RootsSession; readonly atMs: number }>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  add(session: RootsSession): void {
    this.#changes.delete(session.sessionId);
    this.#changes.set(session.sessionId, { session, atMs: this.#clock.monotonicMs() });
    const [oldest] = this.#changes.keys();
    if (oldest !== undefined && this.#changes.size > maxSessions) this.#changes.delete(oldest);
  }

  /**
   * The only session that the server can mean, which it can ask once; undefined if none was announced, and `ambiguous` if others
   * were too, or have calls in flight.
   */
  take(sessionsInFlight: ReadonlySet<string | undefined>): RootsSession | 'ambiguous' | undefined {
    const sinceMs = this.#clock.monotonicMs() - maxAgeMs;
    for (const [id, { atMs }] of this.#changes) if (atMs < sinceMs) this.#changes.delete(id);
    const [only, ...others] = this.#changes.values();
    if (!only) return undefined;
    this.#changes.clear();
    const { session } = only;
    const isClear = others.length === 0 && [...sessionsInFlight].every((id) => id === session.sessionId);
    return isClear ? session : 'ambiguous';
  }
}
