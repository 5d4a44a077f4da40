/** What an operator sees of a store: which engine, and how its connections are used. */

/** Connections to a database server; `waiting` are operations that have none. */
export type ConnectionCounts = { readonly used: number; readonly open: number; readonly waiting: number };

export type StoreState =
  | { readonly engine: 'sqlite' }
  | {
      readonly engine: 'postgresql';
      readonly version: string;
      /** A pooler such as PgBouncer stands between. */
      readonly isPooled: boolean;
      readonly connections: ConnectionCounts;
      /** How commits of other processes are noticed; `hint`: within milliseconds, and by polling besides. */
      readonly notices: 'hint' | 'polling';
    };
