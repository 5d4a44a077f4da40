/** The target's database as runs and agents see it: read-only, one statement at a time, bounded in time, rows and size. */
import type { ObservedQuery, Unavailable } from '../../check/observed.ts';
import type { Clock } from '../../environment/clock.ts';
import { didYouMean } from '../../errors/suggestion.ts';
import { type ErrorWords, vpError } from '../../errors/vp-error.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import type { CatalogueReader } from './catalogue.ts';
import type { Connection } from './connection.ts';
import { readTables } from './describe.ts';
import { readGrants } from './grants.ts';
import { guardQuery } from './guard.ts';
import { guardFacts } from './guard-facts.ts';
import { type DatabaseLimits, databaseLimits } from './limits.ts';
import { problemOf, staysProblem } from './problem.ts';
import { type ReadRows, readRows } from './read-rows.ts';
import { serverErrorOf } from './server-error.ts';
import { openSession, type Session } from './session.ts';

/** One statement. `values` are its parameters, `$1` first; null is SQL's. */
export type Query = { readonly sql: string; readonly values: readonly (string | null)[] };

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

/** What a target's database needs. */
export type TargetDatabaseOptions = {
  readonly target: DatabaseTarget;
  readonly clock: Clock;
  /** Takes secrets out of what the server says; rows are handed on as they are. */
  readonly redact: (text: string) => string;
  /** Certificates (PEM) that are trusted beside the runtime's. */
  readonly extraRoots?: readonly string[];
  readonly limits?: DatabaseLimits;
};

/** Our own queries of the catalogue may be answered with more rows than those of scenarios. */
const catalogueRowLimit = 50_000;

/** Connects to nothing yet. */
export function openTargetDatabase(options: TargetDatabaseOptions): TargetDatabase {
  const { target, clock, redact, extraRoots = [], limits = databaseLimits } = options;
  const session = openSession({ target, clock, limits, extraRoots });
  const wordsFor = (error: unknown, sql?: string): ErrorWords => problemOf(error, { target, limits, sql, redact });

  async function catalogue<T>(read: (reader: CatalogueReader) => Promise<T>): Promise<T> {
    try {
      return await session.inTransaction((connection) => read(readerOf(connection)));
    } catch (error) {
      const { message: problem, cure: instead } = wordsFor(error);
      throw vpError('DATABASE_UNREACHABLE', { problem, instead }, { cause: error });
    }
  }

  return {
    async query({ sql, values }, { maxRows = limits.maxRows, signal } = {}) {
      const refused = guardQuery(sql);
      if (refused !== undefined) return unavailable(refused.words, true);
      try {
        const answer = await session.inTransaction(
          (connection) => guarded(connection, { sql, values }, maxRows),
          signal,
        );
        return 'problem' in answer ? answer : observed(answer);
      } catch (error) {
        const words = wordsFor(error, sql);
        const near = words.code === 'DATABASE_TABLE_UNKNOWN' ? await nearestTable(session, error) : '';
        return unavailable({ ...words, cure: `${near}${words.cure}` }, staysProblem(words.code));
      }
    },
    describe: () => catalogue(readTables),
    grants: () => catalogue(readGrants),
    close: () => session.close(),
  };
}

function readerOf(connection: Connection): CatalogueReader {
  return async (sql, values) => (await readRows(connection, sql, values, catalogueRowLimit)).rows;
}

/** Looks at the names in the query once more, now with what the database has under them. */
async function guarded(connection: Connection, query: Query, maxRows: number): Promise<ReadRows | Unavailable> {
  const facts = await guardFacts(readerOf(connection), query.sql);
  const refused = guardQuery(query.sql, facts);
  if (refused !== undefined) return unavailable(refused.words, true);
  return await readRows(connection, query.sql, query.values, maxRows);
}

function unavailable({ message, cure }: Pick<ErrorWords, 'message' | 'cure'>, isFinal: boolean): Unavailable {
  return { kind: 'unavailable', problem: message, cure, isFinal };
}

function observed({ columns, rows, more }: ReadRows): ObservedQuery {
  return { kind: 'rows', columns, rows, rowCount: rows.length, more };
}

/** For a table that does not exist: `did you mean …?`, or nothing where nobody can be asked. */
async function nearestTable(session: Session, error: unknown): Promise<string> {
  const [, missing] = /"([^"]+)"/.exec(serverErrorOf(error)?.message ?? '') ?? [];
  if (missing === undefined) return '';
  try {
    const tables = await session.inTransaction((connection) => readTables(readerOf(connection)));
    return didYouMean(
      missing,
      tables.map(({ name }) => name),
    );
  } catch {
    return '';
  }
}
