/**
 * Copies all stores of a control plane into an empty database, or out of one, in one transaction: a copy that fails or is killed
 * leaves nothing. PostgreSQL itself takes back what was written.
 */
import type { Client } from 'pg';
import type { Clock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type Counters, loadCounters, readCommittedSeq } from '../control/counters.ts';
import { type CopiedTable, seededTables, type TableReader, type TableWriter } from '../copy/copied-table.ts';
import type { SchemaDifference } from '../database.ts';
import type { Sql } from '../sql.ts';
import type { BackupStoreName } from '../store-files.ts';
import { readAuditBytes } from './audit-size.ts';
import { beginCommittedText, getSearchPath } from './begin.ts';
import { numbersPerCommit } from './commit-numbers.ts';
import { connectPostgres, type PostgresConnection } from './connect.ts';
import { getSqlState } from './connection-errors.ts';
import type { PostgresSettings } from './connection-settings.ts';
import { assertNoCopyMark, removeCopyMark, saveCopyMark } from './copy-mark.ts';
import { findActiveReplica } from './election.ts';
import { listForeignObjects } from './foreign-objects.ts';
import { lockClass, storeLocks } from './locks.ts';
import { migrateStore } from './migrate.ts';
import { runOperation } from './operation.ts';
import { createSessionOptions, sendStatement } from './session.ts';
import { assertCurrentVersions, assertNotNewer, listStoreVersions } from './store-versions.ts';
import { postgresStoreKinds } from './stores.ts';
import { createPostgresTables } from './table-transfer.ts';

export type TransferOptions = {
  readonly settings: PostgresSettings;
  readonly clock: Pick<Clock, 'after'>;
};

/** The stores of a database within one transaction. */
export type DatabaseTransfer = {
  /** The database in errors and reports, without its password. */
  readonly label: string;
  getTables(store: BackupStoreName): TableReader & TableWriter;
  /** Reads what this transaction sees. */
  read<T>(store: BackupStoreName, operation: (sql: Sql) => T): Promise<T>;
  /** Bytes of the rows of the audit with their indexes. */
  getAuditBytes(): Promise<number>;
  /** What vp did not create on the tables of the audit. */
  listForeignObjects(): Promise<SchemaDifference[]>;
};

const storeNames: readonly BackupStoreName[] = ['control', 'audit', 'memory'];
/** A batch of rows may take long on a busy server; a connection whose packets vanish is given up. */
const answerMs = 300_000;
const beginSettings = `SET LOCAL statement_timeout TO 0; SET LOCAL idle_in_transaction_session_timeout TO 0;
  SET LOCAL lock_timeout TO 5000`;

async function withConnection<T>(
  { settings, clock }: TransferOptions,
  use: (connection: PostgresConnection, label: string) => Promise<T>,
): Promise<T> {
  const { types } = await import('pg');
  const clientOptions = { ...createSessionOptions(types), query_timeout: answerMs };
  const connection = await connectPostgres(settings, { clock, clientOptions });
  try {
    return await use(connection, `${settings.address}/${settings.database}`);
  } catch (error) {
    throw connection.describeError(error);
  } finally {
    await connection.client.end().catch(() => undefined);
  }
}

async function inTransaction<T>(client: Client, begin: string, use: () => Promise<T>): Promise<T> {
  await client.query(begin);
  try {
    const value = await use();
    await client.query('COMMIT');
    return value;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function createTransfer(connection: PostgresConnection, label: string): DatabaseTransfer {
  const { client } = connection;
  return {
    label,
    getTables: (store) => createPostgresTables(client, store),
    getAuditBytes: () => readAuditBytes((text) => client.query(text)),
    listForeignObjects: () => listForeignObjects(client),
    async read(store, operation) {
      await client.query(`SET LOCAL search_path TO ${getSearchPath(store)}`);
      return await runOperation(operation, (statement) => sendStatement(connection, store, statement));
    },
  };
}

/** Throws STORE_DATABASE_IN_USE. */
async function assertNoReplica(client: Client, label: string): Promise<void> {
  const replica = await findActiveReplica(client);
  if (replica) throw vpError('STORE_DATABASE_IN_USE', { database: label, holder: `the replica ${replica}` });
}

/** Writers wait for these locks until the copy is complete. Throws STORE_DATABASE_IN_USE. */
async function lockWrites(client: Client, label: string): Promise<void> {
  for (const store of storeNames) {
    const text = `SELECT pg_try_advisory_xact_lock(${lockClass}, ${storeLocks[store]}) AS locked`;
    const { rows } = await client.query<{ locked: number }>(text);
    if (rows[0]?.locked !== 1) throw vpError('STORE_DATABASE_IN_USE', { database: label, holder: 'another vp' });
  }
}

export type IntoDatabase = {
  readonly tables: Readonly<Record<BackupStoreName, readonly CopiedTable[]>>;
  /** Copies; the database has no rows yet. */
  copy(transfer: DatabaseTransfer): Promise<void>;
};

/**
 * Fills an empty database, whose schema is created or migrated first. Throws STORE_DATABASE_NOT_EMPTY, STORE_DATABASE_IN_USE, and
 * what `copy` throws; the database is empty then.
 */
export async function copyIntoDatabase(options: TransferOptions, { tables, copy }: IntoDatabase): Promise<void> {
  await withConnection(options, async (connection, label) => {
    const { client } = connection;
    for (const kind of postgresStoreKinds) await migrateStore(client, kind, label);
    const assertUsable = async (): Promise<void> => {
      await lockWrites(client, label);
      await assertNoReplica(client, label);
      await assertEmpty(client, tables, label);
    };
    await inTransaction(client, `${beginCommittedText}; ${beginSettings}`, async () => {
      await assertUsable();
      await saveCopyMark(client);
    });
    await inTransaction(client, `${beginCommittedText}; ${beginSettings}`, async () => {
      await assertUsable();
      const places = listPlaces(tables);
      // What triggers count is copied.
      for (const table of places) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
      const transfer = createTransfer(connection, label);
      await copy(transfer);
      for (const table of places) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
      await advanceSequences(client, transfer);
      await removeCopyMark(client);
    }).catch(async (error: unknown) => {
      // It is as empty as before. After a lost connection, the mark says that nobody looked.
      await removeCopyMark(client).catch(() => undefined);
      throw error;
    });
    await client.query('ANALYZE');
  });
}

/** Whether {@link copyIntoDatabase} would accept the database. Changes nothing. */
export async function assertEmptyDatabase(options: TransferOptions, tables: IntoDatabase['tables']): Promise<string> {
  return await withConnection(options, async (connection, label) => {
    const { client } = connection;
    await assertNotNewer(client, postgresStoreKinds, label);
    const versions = await listStoreVersions(client, postgresStoreKinds, label);
    if (versions.every(({ found }) => found !== undefined)) {
      await assertNoReplica(client, label);
      await assertEmpty(client, tables, label);
    }
    return label;
  });
}

function listPlaces(tables: IntoDatabase['tables']): string[] {
  return storeNames.flatMap((store) => tables[store].map(({ name }) => `vp_${store}."${name}"`));
}

async function assertEmpty(client: Client, tables: IntoDatabase['tables'], label: string): Promise<void> {
  for (const store of storeNames)
    for (const { name } of tables[store]) {
      if (seededTables.includes(name)) continue;
      const exists = await client.query(`SELECT to_regclass('vp_${store}."${name}"') IS NOT NULL AS here`);
      if (exists.rows[0]?.here !== 1) continue;
      const { rows } = await client.query(`SELECT 1 FROM vp_${store}."${name}" LIMIT 1`);
      if (rows.length > 0) throw vpError('STORE_DATABASE_NOT_EMPTY', { database: label, table: `vp_${store}.${name}` });
    }
}

/** What the database numbers from now on comes after everything in it. */
async function advanceSequences(client: Client, transfer: DatabaseTransfer): Promise<void> {
  const { rows } = await client.query<{ table: string; column: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS table, column_name AS column FROM information_schema.columns
     WHERE is_identity = 'YES' AND table_schema IN ('vp_control', 'vp_audit', 'vp_memory')`,
  );
  for (const { table, column } of rows)
    await client.query(
      `SELECT setval(pg_get_serial_sequence('${table}', '${column}'), max(${column})) FROM ${table} HAVING max(${column}) IS NOT NULL`,
    );
  const seq = await transfer.read('control', readCommittedSeq);
  const { lastRunMs }: Counters = await transfer.read('control', loadCounters);
  await client.query(
    `SELECT setval('vp.commits_1', ${Math.floor(seq / numbersPerCommit) + 1}), setval('vp.run_times', ${lastRunMs()})`,
  );
}

/** `isMoving`: nobody may use the database, now or while it is read; otherwise its users go on. */
export type FromDatabaseOptions = TransferOptions & {
  readonly isMoving: boolean;
  readonly tables: IntoDatabase['tables'];
};

/** The last numbers that the database gave. */
export type LastNumbers = { readonly seq: number; readonly runMs: number };

/**
 * Reads all stores of a database at one moment. Throws STORE_DATABASE_EMPTY, STORE_OUTDATED, STORE_NEWER, STORE_DATABASE_IN_USE.
 */
export async function copyFromDatabase<T>(
  { isMoving, tables, ...options }: FromDatabaseOptions,
  copy: (transfer: DatabaseTransfer, numbers: LastNumbers) => Promise<T>,
): Promise<T> {
  return await withConnection(options, async (connection, label) => {
    const { client } = connection;
    await assertNoCopyMark(client, label);
    assertCurrentVersions(await listStoreVersions(client, postgresStoreKinds, label), label);
    const access = isMoving ? 'READ WRITE' : 'READ ONLY';
    return await inTransaction(
      client,
      `BEGIN ISOLATION LEVEL REPEATABLE READ ${access}; ${beginSettings}`,
      async () => {
        // Before the first snapshot, so that it has all commits.
        if (isMoving) await lockTables(client, tables, label);
        if (isMoving) await assertNoReplica(client, label);
        const { rows } = await client.query<{ commits: number; run_ms: number }>(
          'SELECT (SELECT last_value FROM vp.commits_1) AS commits, (SELECT last_value FROM vp.run_times) AS run_ms',
        );
        const { commits = 0, run_ms: runMs = 0 } = rows[0] ?? {};
        return await copy(createTransfer(connection, label), { seq: (commits + 1) * numbersPerCommit, runMs });
      },
    );
  });
}

const lockUnavailable = '55P03';

/** Throws STORE_DATABASE_IN_USE when anyone is writing. */
async function lockTables(client: Client, tables: IntoDatabase['tables'], label: string): Promise<void> {
  try {
    await client.query(`LOCK TABLE vp.stores, ${listPlaces(tables).join(', ')} IN SHARE MODE NOWAIT`);
  } catch (error) {
    if (getSqlState(error) !== lockUnavailable) throw error;
    throw vpError('STORE_DATABASE_IN_USE', { database: label, holder: 'another vp' });
  }
}
