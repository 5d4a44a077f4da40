/** When a standby takes over, by what it has seen of the active replica. */
import type { ElectionState } from '../../store/postgres/election.ts';
import type { ElectionTimings } from './timings.ts';

export type TakeoverDecision = 'wait' | 'confirm' | 'take';

type Sight = { readonly mark: string; readonly sinceMs: number };

function isSame(sight: Sight | undefined, mark: string): sight is Sight {
  return sight?.mark === mark;
}

/**
 * The expiry counts by the standby's own clock, from the moment at which it saw the last renewal, and by that of the
 * database: a jump of the latter alone takes nothing from a healthy replica.
 */
export class TakeoverPolicy {
  readonly #ownId: string;
  readonly #timings: Pick<ElectionTimings, 'expiryMs' | 'confirmMs'>;
  #renewal: Sight | undefined;
  #sessionLoss: Sight | undefined;

  constructor(ownId: string, timings: Pick<ElectionTimings, 'expiryMs' | 'confirmMs'>) {
    this.#ownId = ownId;
    this.#timings = timings;
  }

  /** `nowMs` is monotonic, and from before the state was read. */
  decide(state: ElectionState, nowMs: number): TakeoverDecision {
    const mark = `${state.epoch}/${state.lastRenewalUs}`;
    if (!isSame(this.#renewal, mark)) this.#renewal = { mark, sinceMs: nowMs };
    if (!state.isSessionLost) this.#sessionLoss = undefined;
    else if (!isSame(this.#sessionLoss, mark)) this.#sessionLoss = { mark, sinceMs: nowMs };
    // A term of our own that we gave up.
    if (state.activeId === undefined || state.activeId === this.#ownId) return 'take';
    if (this.#sessionLoss) return this.#isOver(this.#sessionLoss, nowMs, this.#timings.confirmMs) ? 'take' : 'confirm';
    return state.isExpired && this.#isOver(this.#renewal, nowMs, this.#timings.expiryMs) ? 'take' : 'wait';
  }

  #isOver({ sinceMs }: Sight, nowMs: number, durationMs: number): boolean {
    return nowMs - sinceMs >= durationMs;
  }
}
