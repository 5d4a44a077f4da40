/** What replicas see of each other in the database. Functions send one statement after another: a client has one user at a time. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { SqlValue } from '../sql.ts';
import { beginCommittedText } from './begin.ts';
import { electionSchema } from './election-schema.ts';
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
  readonly renewals: number;
  /** By the clock of the database. */
  readonly isExpired: boolean;
  /** The connection of the active replica is gone, and PostgreSQL was not restarted since its last renewal. */
  readonly isSessionLost: boolean;
  readonly endedBy: 'release' | 'loss' | undefined;
  readonly databaseMs: number;
};

export type LiveReplica = ReplicaIdentity & {
  readonly startedMs: number;
  /** By the clock of the database, as is the start. */
  readonly heartbeatMs: number;
};

/** Shared by everybody who takes it: it shows that a connection is open, and excludes nobody. */
export const sessionLock = 100;
/** Replicas that were silent for so long are forgotten. */
const forgottenAfter = "interval '1 day'";

const Integer = Type.Number();
const StateRow = createRowReader(
  Type.Object({
    epoch: Integer,
    active_id: Type.Union([Type.String(), Type.Null()]),
    address: Type.Union([Type.String(), Type.Null()]),
    renewals: Integer,
    is_expired: Type.Boolean(),
    is_session_lost: Type.Boolean(),
    ended_by: Type.Union([Type.Literal('release'), Type.Literal('loss'), Type.Null()]),
    database_ms: Type.Number(),
  }),
);
const ReplicaRow = createRowReader(
  Type.Object({
    id: Type.String(),
    address: Type.String(),
    version: Type.String(),
    started_ms: Type.Number(),
    heartbeat_ms: Type.Number(),
  }),
);
const KeyRow = createRowReader(
  Type.Object({ fingerprint: Type.Union([Type.String(), Type.Null()]), is_new: Type.Boolean() }),
);
const TruthRow = createRowReader(Type.Object({ truth: Type.Boolean() }));

/** The clock of the database. */
export const databaseNowMs = '(extract(epoch FROM clock_timestamp()) * 1000)::float8';
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

export function hasElection(client: ElectionClient): Promise<boolean> {
  return readTruth(client, "to_regclass('vp.replicas') IS NOT NULL AND to_regclass('vp.active_replica') IS NOT NULL");
}

/** Creates the tables where they are missing. Needs no right to create anything where they exist. */
export async function prepareElection(client: ElectionClient): Promise<void> {
  if (await hasElection(client)) return;
  await inTransaction(client, async () => {
    await client.query(`SELECT pg_advisory_xact_lock(${lockClass}, ${storeLocks.migration})`);
    await client.query(electionSchema);
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
    `SELECT a.epoch::float8 AS epoch, a.replica_id AS active_id, r.address, a.renewals::float8 AS renewals, a.ended_by,
      coalesce(a.expires_at <= clock_timestamp(), true) AS is_expired, ${databaseNowMs} AS database_ms,
      coalesce(a.session_pid IS NOT NULL AND a.renewed_at > pg_postmaster_start_time() AND NOT EXISTS (
        SELECT 1 ${ourLocks} AND objid = ${sessionLock} AND pid = a.session_pid), false) AS is_session_lost
     FROM vp.active_replica a LEFT JOIN vp.replicas r ON r.id = a.replica_id`,
  );
  const [row] = StateRow.parse(rows);
  if (!row) throw new Error('the row of the active replica is missing');
  return {
    epoch: row.epoch,
    activeId: row.active_id ?? undefined,
    address: row.address ?? undefined,
    renewals: row.renewals,
    isExpired: row.is_expired,
    isSessionLost: row.is_session_lost,
    endedBy: row.ended_by ?? undefined,
    databaseMs: row.database_ms,
  };
}

/** Says that this replica lives, and forgets those that did not say so for long. */
export async function saveHeartbeat(client: ElectionClient, replica: ReplicaIdentity): Promise<void> {
  await client.query(`DELETE FROM vp.replicas WHERE heartbeat_at < clock_timestamp() - ${forgottenAfter}`);
  await client.query(
    `INSERT INTO vp.replicas (id, address, version, started_at, heartbeat_at)
       VALUES ($1, $2, $3, clock_timestamp(), clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET heartbeat_at = excluded.heartbeat_at`,
    [replica.id, replica.address, replica.version],
  );
}

/** A replica that stops. */
export async function removeReplica(client: ElectionClient, id: string): Promise<void> {
  await client.query('DELETE FROM vp.replicas WHERE id = $1', [id]);
}

/** Oldest first. */
export async function listLiveReplicas(client: ElectionClient, maxSilentMs: number): Promise<LiveReplica[]> {
  const { rows } = await client.query(
    `SELECT id, address, version, (extract(epoch FROM started_at) * 1000)::float8 AS started_ms,
       (extract(epoch FROM heartbeat_at) * 1000)::float8 AS heartbeat_ms
     FROM vp.replicas WHERE heartbeat_at > clock_timestamp() - $1 * interval '1 millisecond' ORDER BY started_at, id`,
    [maxSilentMs],
  );
  return ReplicaRow.parse(rows).map(({ started_ms, heartbeat_ms, ...replica }) => ({
    ...replica,
    startedMs: started_ms,
    heartbeatMs: heartbeat_ms,
  }));
}
