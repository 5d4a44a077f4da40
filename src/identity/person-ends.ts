import type { Sql } from '../store/sql.ts';

/**
 * Told of an account that ends, within the transaction that deletes it and before anything of it is gone. What it gives is
 * called once that is kept, and must not throw.
 */
export type PersonEndListener = (sql: Sql, personId: string) => () => void;

/** Those outside identity who keep something for people. */
export type PersonEnds = {
  /** The returned function ends it. */
  listen(listener: PersonEndListener): () => void;
  /** What is to be called afterwards. */
  told(sql: Sql, personId: string): (() => void)[];
};

/** Nobody listens yet. */
export function createPersonEnds(): PersonEnds {
  const listeners = new Set<PersonEndListener>();
  return {
    listen(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    told: (sql, personId) => [...listeners].map((listener) => listener(sql, personId)),
  };
}
