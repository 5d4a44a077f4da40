/** The active replica as others see it. */
import type { ElectionState } from '../../store/postgres/election.ts';

/** `lost` is aborted when another replica took over from it without its consent: it answers nothing any more. */
export type Peer = {
  readonly id: string;
  readonly epoch: number;
  readonly address: string;
  readonly lost: AbortSignal;
};

export class Peers {
  readonly #ownId: string;
  readonly #terms = new Map<number, { readonly peer: Peer; readonly controller: AbortController }>();
  #current: Peer | undefined;

  constructor(ownId: string) {
    this.#ownId = ownId;
  }

  /** Undefined while none is active, and while this replica is. */
  get active(): Peer | undefined {
    return this.#current;
  }

  update({ epoch, activeId, address, endedBy }: ElectionState): void {
    for (const [earlier, { controller }] of this.#terms) {
      if (earlier >= epoch) continue;
      // One that has released its role still passes on what it got.
      if (endedBy === 'loss') controller.abort();
      this.#terms.delete(earlier);
    }
    if (activeId === undefined || address === undefined || activeId === this.#ownId) {
      this.#current = undefined;
      return;
    }
    let term = this.#terms.get(epoch);
    if (!term) {
      const controller = new AbortController();
      term = { controller, peer: { id: activeId, epoch, address, lost: controller.signal } };
      this.#terms.set(epoch, term);
    }
    this.#current = term.peer;
  }
}
