/** What replicas see of each other in the database. Functions send one statement after another: a client has one user at a time. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { SqlValue } from '../sql.ts';
import { beginCommittedText } from './begin.ts';
import { electionChanges, electionSchema } from './election-schema.ts';
import { lockClass, storeLocks } from './locks.ts';

/** A connection to PostgreSQL; of `pg`, in production. */
export type ElectionClient = {
  query(text: string, values?: SqlValue[]): Promise<{ readonly rows: readonly unknown[] }>;
};

export type ReplicaIdentity = { readonly id: string; readonly address: string; readonly version: string };

/** What a replica sees of the election. */
export type ElectionState = {
  readonly epoch: number;
  /** Undefined after a release, and in a new store. */
  readonly activeId: string | undefined;
  readonly address: string | undefined;
  /** Microseconds by the clock of the database. */
  readonly lastRenewalUs: number;
  /** By the clock of the database. */
  readonly isExpired: boolean;
  /** The connection of the active replica is gone, and PostgreSQL was not restarted since its last renewal. */
  readonly isSessionLost: boolean;
  readonly endedBy: 'release' | 'loss' | undefined;
  readonly databaseMs: number;
};

/** Shared by everybody who takes it: it shows that a connection is open, and excludes nobody. */
export const sessionLock = 100;
const Integer = Type.Number();
const StateRow = createRowReader(
  Type.Object({
    epoch: Integer,
    active_id: Type.Union([Type.String(), Type.Null()]),
    address: Type.Union([Type.String(), Type.Null()]),
    last_renewal_us: Integer,
    is_expired: Type.Boolean(),
    is_session_lost: Type.Boolean(),
    ended_by: Type.Union([Type.Literal('release'), Type.Literal('loss'), Type.Null()]),
    database_ms: Type.Number(),
  }),
);
const HolderRow = createRowReader(Type.Object({ id: Type.String() }));
const KeyRow = createRowReader(
  Type.Object({ fingerprint: Type.Union([Type.String(), Type.Null()]), is_new: Type.Boolean() }),
);
const TruthRow = createRowReader(Type.Object({ truth: Type.Boolean() }));

/** The clock of the database. */
export const databaseNowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';
export const databaseNowUs = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint';
/** When the active replica said last that it lives. */
export const lastRenewalUs = '(SELECT last_value FROM vp.last_renewal)';
/** Whether the term of the active replica is over, by the clock of the database. */
const isTermExpired = `coalesce(${lastRenewalUs} + expiry_ms * 1000::bigint <= ${databaseNowUs}, true)`;
const ourDatabase = '(SELECT oid FROM pg_database WHERE datname = current_database())';
/** Advisory locks with two numbers have objsubid 2. */
export const ourLocks = `FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
  AND database = ${ourDatabase} AND classid = ${lockClass}`;

export async function readTruth(client: ElectionClient, text: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT (${text}) AS truth`);
  return TruthRow.parse(rows)[0]?.truth === true;
}

/** All or nothing of `work`; its error is thrown even when the connection is lost. */
export async function inTransaction<T>(client: ElectionClient, work: () => Promise<T>): Promise<T> {
  await client.query(beginCommittedText);
  try {
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** `to_regclass` would answer from what this connection knew before it waited for a lock. */
export function hasElection(client: ElectionClient): Promise<boolean> {
  const names = ['replicas', 'active_replica', 'heartbeats', 'last_renewal'];
  const list = names.map((name) => `'${name}'`).join(', ');
  const relations = `SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace`;
  return readTruth(client, `(${relations} WHERE n.nspname = 'vp' AND c.relname IN (${list})) = ${names.length}`);
}

/** Creates the tables where they are missing. Needs no right to create anything where they exist. */
export async function prepareElection(client: ElectionClient): Promise<void> {
  if (await hasElection(client)) return;
  await inTransaction(client, async () => {
    await client.query(`SELECT pg_advisory_xact_lock(${lockClass}, ${storeLocks.migration})`);
    // Another replica that has created them meanwhile uses them already, and changes to tables in use can lock each other out.
    if (!(await hasElection(client))) await client.query(electionSchema + electionChanges);
  });
}

/** `fingerprint` is unknown in a new store, and in one that was moved here until a replica has opened it. */
export type StoreKeyState = { readonly fingerprint: string | undefined; readonly isNew: boolean };

const isNewStore = "to_regclass('vp_control.data_keys') IS NULL";

/** Which master key opens this store. A new store takes the key of `candidate`, if it has none yet. */
export async function readStoreKey(client: ElectionClient, candidate?: string): Promise<StoreKeyState> {
  if (candidate !== undefined) {
    const text = `UPDATE vp.active_replica SET key_fingerprint = $1 WHERE key_fingerprint IS NULL AND ${isNewStore}`;
    await client.query(text, [candidate]);
  }
  const { rows } = await client.query(
    `SELECT key_fingerprint AS fingerprint, ${isNewStore} AS is_new FROM vp.active_replica`,
  );
  const [row] = KeyRow.parse(rows);
  return { fingerprint: row?.fingerprint ?? undefined, isNew: row?.is_new === true };
}

/** For the active replica, whose key has opened the store. */
export async function saveKeyFingerprint(client: ElectionClient, fingerprint: string): Promise<void> {
  await client.query('UPDATE vp.active_replica SET key_fingerprint = $1', [fingerprint]);
}

export async function readElection(client: ElectionClient): Promise<ElectionState> {
  const { rows } = await client.query(
    `SELECT a.epoch::float8 AS epoch, a.replica_id AS active_id, r.address, ${lastRenewalUs}::float8 AS last_renewal_us,
      a.ended_by, ${isTermExpired} AS is_expired, ${databaseNowMs} AS database_ms,
      coalesce(a.session_pid IS NOT NULL AND ${lastRenewalUs} > extract(epoch FROM pg_postmaster_start_time()) * 1000000
        AND NOT EXISTS (SELECT 1 ${ourLocks} AND objid = ${sessionLock} AND pid = a.session_pid), false) AS is_session_lost
     FROM vp.active_replica a LEFT JOIN vp.replicas r ON r.id = a.replica_id`,
  );
  const [row] = StateRow.parse(rows);
  if (!row) throw new Error('the row of the active replica is missing');
  return {
    epoch: row.epoch,
    activeId: row.active_id ?? undefined,
    address: row.address ?? undefined,
    lastRenewalUs: row.last_renewal_us,
    isExpired: row.is_expired,
    isSessionLost: row.is_session_lost,
    endedBy: row.ended_by ?? undefined,
    databaseMs: row.database_ms,
  };
}

/** The replica whose term is not over. */
export async function findActiveReplica(client: ElectionClient): Promise<string | undefined> {
  const { rows } = await client.query(
    `SELECT replica_id AS id FROM vp.active_replica WHERE replica_id IS NOT NULL AND NOT ${isTermExpired}`,
  );
  return HolderRow.parse(rows)[0]?.id;
}
