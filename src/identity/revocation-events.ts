import { KeyedListeners } from '../listeners/keyed-listeners.ts';
import { Listeners } from '../listeners/listeners.ts';

/** Notifies long-lived work, such as open streams, that the session, key, grant or account behind it was revoked. */
export type RevocationEvents = {
  /** Calls `listener` once when the credential is revoked; the returned function unsubscribes. */
  subscribe(credentialId: string, listener: () => void): () => void;
  /** Calls `listener` whenever a credential is revoked; the returned function unsubscribes. */
  subscribeAll(listener: () => void): () => void;
  emit(credentialId: string): void;
};

export function createRevocationEvents(): RevocationEvents {
  const listeners = new KeyedListeners<() => void>();
  const commonListeners = new Listeners();
  return {
    subscribe: (credentialId, listener) => listeners.add(credentialId, listener),
    subscribeAll: commonListeners.add,
    emit(credentialId) {
      for (const listener of listeners.take(credentialId)) listener();
      commonListeners.notify();
    },
  };
}
