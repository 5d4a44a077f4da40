/** The target's database for runs and agents: read-only, one statement at a time, bounded in time, rows and size. */
import type { AgentTable } from '../../agents/ports.ts';
import type { ObservedQueryResult, UnavailableEvidence } from '../../check/observation.ts';
import type { Clock } from '../../environment/clock.ts';
import { formatSuggestion } from '../../errors/suggestion.ts';
import { type ErrorText, vpError } from '../../errors/vp-error.ts';
import type { DatabaseTarget } from '../../project/project-config.ts';
import type { CatalogueReader } from './catalogue/read-catalogue-rows.ts';
import { type DatabaseGrants, readGrants } from './catalogue/read-grants.ts';
import { readTables } from './catalogue/read-tables.ts';
import type { DatabaseConnection } from './database-connection.ts';
import { describeDatabaseError, isPermanentDatabaseError } from './database-error.ts';
import { type DatabaseLimits, databaseLimits } from './database-limits.ts';
import { type DatabaseSession, openDatabaseSession } from './database-session.ts';
import { guardQuery } from './guard/guard-query.ts';
import { readQueryCatalogue } from './guard/read-query-catalogue.ts';
import { type DatabaseRows, readRows } from './read-rows.ts';
import { parseServerError } from './server-error.ts';

/** One statement. `values` are its parameters, `$1` first; null is SQL's NULL. */
export type DatabaseQuery = { readonly sql: string; readonly values: readonly (string | null)[] };

/** A connection that is opened at first use and kept open. `query` does not reject for errors of the database. */
export type TargetDatabase = {
  /** Runs a query in its own read-only transaction. Unavailable: refused, failed, too slow, unreachable. */
  query(
    query: DatabaseQuery,
    options?: { readonly maxRows?: number; readonly signal?: AbortSignal },
  ): Promise<ObservedQueryResult>;
  /** Tables and views of the public schema. Rejects with DATABASE_UNREACHABLE. */
  describe(): Promise<readonly AgentTable[]>;
  /** Rejects with DATABASE_UNREACHABLE. */
  grants(): Promise<DatabaseGrants>;
  close(): Promise<void>;
};

export type TargetDatabaseOptions = {
  readonly target: DatabaseTarget;
  readonly clock: Clock;
  /** Removes secrets from server messages; rows are returned unchanged. */
  readonly redact: (text: string) => string;
  /** Certificates (PEM) that are trusted in addition to the runtime's. */
  readonly extraRoots?: readonly string[];
  readonly limits?: DatabaseLimits;
};

/** Catalogue queries may return more rows than queries of scenarios. */
const catalogueRowLimit = 50_000;

/** Does not connect yet. */
export function openTargetDatabase(options: TargetDatabaseOptions): TargetDatabase {
  const { target, clock, redact, extraRoots = [], limits = databaseLimits } = options;
  const session = openDatabaseSession({ target, clock, limits, extraRoots });
  const describeError = (error: unknown, sql?: string): ErrorText =>
    describeDatabaseError(error, { target, limits, sql, redact });

  async function readCatalogue<T>(reader: (reader: CatalogueReader) => Promise<T>): Promise<T> {
    try {
      return await session.inTransaction((connection) => reader(createCatalogueReader(connection)));
    } catch (error) {
      const { message: problem, cure: instead } = describeError(error);
      throw vpError('DATABASE_UNREACHABLE', { problem, instead }, { cause: error });
    }
  }

  return {
    async query({ sql, values }, { maxRows = limits.maxRows, signal } = {}) {
      const refusal = guardQuery(sql);
      if (refusal !== undefined) return toUnavailable(refusal.error, true);
      try {
        const result = await session.inTransaction(
          (connection) => runGuarded(connection, { sql, values }, maxRows),
          signal,
        );
        return 'problem' in result ? result : toObservedQuery(result);
      } catch (error) {
        const description = describeError(error, sql);
        const suggestion = description.code === 'DATABASE_TABLE_UNKNOWN' ? await suggestTable(session, error) : '';
        return toUnavailable(
          { ...description, cure: `${suggestion}${description.cure}` },
          isPermanentDatabaseError(description.code),
        );
      }
    },
    describe: () => readCatalogue(readTables),
    grants: () => readCatalogue(readGrants),
    close: () => session.close(),
  };
}

function createCatalogueReader(connection: DatabaseConnection): CatalogueReader {
  return async (sql, values) => (await readRows(connection, sql, values, catalogueRowLimit)).rows;
}

/** Checks the names in the query again, now with the facts from the database. */
async function runGuarded(
  connection: DatabaseConnection,
  query: DatabaseQuery,
  maxRows: number,
): Promise<DatabaseRows | UnavailableEvidence> {
  const facts = await readQueryCatalogue(createCatalogueReader(connection), query.sql);
  const refusal = guardQuery(query.sql, facts);
  if (refusal !== undefined) return toUnavailable(refusal.error, true);
  // The server then refuses a query whose rows it would leave out (check_enable_rls), also within views.
  if (facts.tablesWithHiddenRows.size > 0) await connection.client.query('SET LOCAL row_security = off');
  return await readRows(connection, query.sql, query.values, maxRows);
}

function toUnavailable({ message, cure }: Pick<ErrorText, 'message' | 'cure'>, isFinal: boolean): UnavailableEvidence {
  return { kind: 'unavailable', problem: message, cure, isFinal };
}

function toObservedQuery({ columns, rows, more }: DatabaseRows): ObservedQueryResult {
  return { kind: 'rows', columns, rows, rowCount: rows.length, more };
}

/** For a table that does not exist: `did you mean …?`, or an empty text when the tables cannot be read. */
async function suggestTable(session: DatabaseSession, error: unknown): Promise<string> {
  const [, missingTable] = /"([^"]+)"/.exec(parseServerError(error)?.message ?? '') ?? [];
  if (missingTable === undefined) return '';
  try {
    const tables = await session.inTransaction((connection) => readTables(createCatalogueReader(connection)));
    return formatSuggestion(
      missingTable,
      tables.map(({ name }) => name),
    );
  } catch {
    return '';
  }
}
