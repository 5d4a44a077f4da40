/** Notifies long-lived work, such as open streams, that the session, key, grant or account behind it was revoked. */
export type RevocationEvents = {
  /** Calls `listener` once when the credential is revoked; the returned function unsubscribes. */
  subscribe(credentialId: string, listener: () => void): () => void;
  emit(credentialId: string): void;
};

export function createRevocationEvents(): RevocationEvents {
  const listeners = new Map<string, Set<() => void>>();
  return {
    subscribe(credentialId, listener) {
      const callbacks = listeners.get(credentialId) ?? new Set();
      listeners.set(credentialId, callbacks.add(listener));
      return () => {
        callbacks.delete(listener);
        if (callbacks.size === 0 && listeners.get(credentialId) === callbacks) listeners.delete(credentialId);
      };
    },
    emit(credentialId) {
      const callbacks = listeners.get(credentialId);
      listeners.delete(credentialId);
      for (const listener of callbacks ?? []) listener();
    },
  };
}
