import type { Sql } from '../../store/sql.ts';

/**
 * Called within the transaction that deletes an account, before any of its rows are deleted. The returned function is
 * called after the commit, and must not throw.
 */
export type PersonRemovalHook = (sql: Sql, personId: string) => () => void;

/** Hooks of features outside of identity that store data per person. */
export type PersonRemovalHooks = {
  /** The returned function unregisters the hook. */
  register(hook: PersonRemovalHook): () => void;
  /** Returns the functions to call after the commit. */
  run(sql: Sql, personId: string): (() => void)[];
};

export function createPersonRemovalHooks(): PersonRemovalHooks {
  const hooks = new Set<PersonRemovalHook>();
  return {
    register(hook) {
      hooks.add(hook);
      return () => {
        hooks.delete(hook);
      };
    },
    run: (sql, personId) => [...hooks].map((hook) => hook(sql, personId)),
  };
}
