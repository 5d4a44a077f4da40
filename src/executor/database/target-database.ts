/** The target's database as runs and agents see it: read-only, one statement at a time, bounded in time, rows and size. */
import type { ObservedQuery } from '../../check/observed.ts';

/** One statement. `values` are its parameters, `$1` first. */
export type Query = { readonly sql: string; readonly values: readonly string[] };

/** What a table holds, as the read-only user sees it. */
export type DescribedTable = {
  readonly name: string;
  readonly kind: 'table' | 'view';
  /** False where the user lacks SELECT. */
  readonly readable: boolean;
  readonly columns: readonly { readonly name: string; readonly type: string; readonly nullable: boolean }[];
  readonly primaryKey: readonly string[];
  readonly references: readonly { readonly columns: readonly string[]; readonly table: string }[];
  readonly approximateRows: number | undefined;
};

/** What the user may do, found out at the start. */
export type DatabaseGrants = {
  /** Tables of the public schema it could write. */
  readonly writable: readonly string[];
  /** Tables of the public schema it cannot read. */
  readonly unreadable: readonly string[];
  /** Superuser, or may create roles or databases, bypass row security or read server files. */
  readonly tooPowerful: readonly string[];
};

/** A connection that is opened at the first use and kept. Nothing here rejects for what the database did. */
export type TargetDatabase = {
  /** Runs a query in a transaction of its own that cannot write. Unavailable: refused, failed, too slow, not reached. */
  query(query: Query, options?: { readonly maxRows?: number; readonly signal?: AbortSignal }): Promise<ObservedQuery>;
  /** Tables and views of the public schema. Rejects with DATABASE_UNREACHABLE. */
  describe(): Promise<readonly DescribedTable[]>;
  /** Rejects with DATABASE_UNREACHABLE. */
  grants(): Promise<DatabaseGrants>;
  close(): Promise<void>;
};
