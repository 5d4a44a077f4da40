/**
 * The one way in which a request of the cleanup may be sent twice (docs/explanation/guarantees.md): the folder of the executor goes
 * back to an older copy, and the control plane does not know that its journal has come further: it did not answer before the
 * request was sent, or its own store has gone back since.
 */

/** What the control plane has answered: nothing in this start, nothing to the last announcement, to it, or it was not asked since. */
type Contact = 'none' | 'unanswered' | 'answered' | 'not asked';

type Arrival = {
  readonly executor: string;
  readonly isKnown: boolean;
  hasFolderGoneBack: boolean;
  hasControlGoneBack: boolean;
};

export class StaleJournal {
  /** By request of the cleanup: the newest. */
  readonly #arrivals = new Map<string, Arrival>();
  readonly #contacts = new Map<string, Contact>();

  recordStart(executor: string): void {
    this.#contacts.set(executor, 'none');
  }

  recordWelcome(executor: string): void {
    this.#contacts.set(executor, 'not asked');
  }

  /** `executor` tells how far its journal has come, and waits for an answer. */
  recordAnnouncement(executor: string): void {
    this.#contacts.set(executor, 'unanswered');
  }

  recordAnswer(executor: string): void {
    this.#contacts.set(executor, 'answered');
  }

  /** The folder of that executor is an older one. */
  recordOlderFolder(executor: string): void {
    for (const arrival of this.#arrivals.values()) if (arrival.executor === executor) arrival.hasFolderGoneBack = true;
  }

  /** The store of the control plane is an older one. */
  recordOlderControl(): void {
    for (const arrival of this.#arrivals.values()) arrival.hasControlGoneBack = true;
  }

  /** False for other requests than those of the cleanup, and where one has arrived before and must not arrive again. */
  recordArrival(executor: string, request: string): boolean {
    if (!/ DELETE /.test(request)) return false;
    const contact = this.#contacts.get(executor);
    if (contact === 'answered') this.#contacts.set(executor, 'not asked');
    const earlier = this.#arrivals.get(request);
    // An executor that has not asked has no excuse.
    const isKnown = contact === 'answered' || contact === 'not asked';
    this.#arrivals.set(request, { executor, isKnown, hasFolderGoneBack: false, hasControlGoneBack: false });
    return !earlier || (earlier.hasFolderGoneBack && (!earlier.isKnown || earlier.hasControlGoneBack));
  }
}
