/**
 * Whether the active replica is still there, after a request to it was lost. A process that is being killed resets its
 * connections one by one and accepts new ones until its listener is closed: what is sent there meanwhile is lost as well.
 */
import type { Clock } from '../../environment/clock.ts';
import { withTimeout } from '../../timing/timeout.ts';
import type { Peer } from './peers.ts';

export type PeerSuspicionOptions = {
  readonly clock: Pick<Clock, 'after' | 'sleep'>;
  readonly isAnswering: (address: string, signal: AbortSignal) => Promise<boolean>;
  readonly findPeer: () => Peer | undefined;
  /** Between two probes, and the longest one. */
  readonly probeMs: number;
  readonly onSuspect: () => void;
  /** The suspected peer has answered. */
  readonly onCleared: () => void;
};

export class PeerSuspicion {
  readonly #options: PeerSuspicionOptions;
  #suspect: Peer | undefined;

  constructor(options: PeerSuspicionOptions) {
    this.#options = options;
  }

  isSuspect(peer: Peer): boolean {
    return this.#suspect === peer;
  }

  suspect(peer: Peer): void {
    const { findPeer, onSuspect } = this.#options;
    if (this.#suspect === peer || findPeer() !== peer) return;
    this.#suspect = peer;
    onSuspect();
    void this.#examine(peer);
  }

  async #examine(peer: Peer): Promise<void> {
    const { clock, findPeer, probeMs, onCleared } = this.#options;
    while (findPeer() === peer) {
      if (await this.#isAlive(peer)) {
        this.#suspect = undefined;
        onCleared();
        return;
      }
      await clock.sleep(probeMs);
    }
    if (this.#suspect === peer) this.#suspect = undefined;
  }

  #isAlive({ address }: Peer): Promise<boolean> {
    const { clock, probeMs: timeoutMs, isAnswering } = this.#options;
    return withTimeout({ clock, timeoutMs }, (signal) => isAnswering(address, signal)).catch(() => false);
  }
}
