/**
 * The terms of the active replica. A standby takes over in one transaction that has every lock of the stores' writes, so that
 * no write of the replica before it can be committed afterwards.
 */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import {
  databaseNowMs,
  databaseNowUs,
  type ElectionClient,
  type ElectionState,
  inTransaction,
  lastRenewalUs,
  ourLocks,
  type ReplicaIdentity,
  readTruth,
  sessionLock,
} from './election.ts';
import { lockClass, storeLocks } from './locks.ts';

export type Renewal = { readonly sessionPid: number; readonly databaseMs: number };

const RenewalRow = createRowReader(Type.Object({ session_pid: Type.Number(), database_ms: Type.Number() }));
const EpochRow = createRowReader(Type.Object({ epoch: Type.Number() }));
const PidRow = createRowReader(Type.Object({ pid: Type.Number() }));
/** Shows that this connection is open, until it ends. Returns the number of its server process. */
export async function takeSessionLock(client: ElectionClient): Promise<number> {
  await client.query(`SELECT pg_advisory_lock_shared(${lockClass}, ${sessionLock})`);
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  return PidRow.parse(rows)[0]?.pid ?? 0;
}

/** `busy`: transactions of these server processes are not finished. `late`: another replica was faster. */
export type TakeoverResult =
  | { readonly kind: 'active'; readonly epoch: number }
  | { readonly kind: 'busy'; readonly pids: readonly number[] }
  | { readonly kind: 'late' };

const allWrites = [storeLocks.control, storeLocks.audit, storeLocks.memory];
const writers = `SELECT DISTINCT pid ${ourLocks} AND objid IN (${allWrites.join(', ')}) AND pid <> pg_backend_pid()`;

/** Makes `replica` the active one, if nothing has changed since `seen`. */
export async function takeOver(
  client: ElectionClient,
  { id }: Pick<ReplicaIdentity, 'id'>,
  seen: Pick<ElectionState, 'epoch' | 'lastRenewalUs' | 'activeId'>,
  expiryMs: number,
): Promise<TakeoverResult> {
  return inTransaction(client, async () => {
    for (const lock of allWrites) {
      if (await readTruth(client, `SELECT pg_try_advisory_xact_lock(${lockClass}, ${lock})`)) continue;
      const { rows } = await client.query(writers);
      return { kind: 'busy', pids: PidRow.parse(rows).map(({ pid }) => pid) };
    }
    // Then no renewal is on its way.
    await client.query('SELECT epoch FROM vp.active_replica FOR UPDATE');
    const { rows } = await client.query(
      `UPDATE vp.active_replica SET epoch = epoch + 1, replica_id = $1, session_pid = NULL, expiry_ms = $2,
         ended_by = CASE WHEN replica_id IS NULL THEN 'release' ELSE 'loss' END
       WHERE epoch = $3 AND ${lastRenewalUs} = $4 AND replica_id IS NOT DISTINCT FROM $5 RETURNING epoch::float8 AS epoch`,
      [id, expiryMs, seen.epoch, seen.lastRenewalUs, seen.activeId ?? null],
    );
    const [row] = EpochRow.parse(rows);
    if (!row) return { kind: 'late' };
    await client.query(`SELECT setval('vp.last_renewal', ${databaseNowUs})`);
    return { kind: 'active', epoch: row.epoch };
  });
}

/** Ends connections that still have the lock of a write: their replica is gone or stands still. */
export async function endWriters(client: ElectionClient, pids: readonly number[]): Promise<void> {
  const text = `SELECT pg_terminate_backend(pid) FROM (${writers}) writers WHERE pid = ANY (string_to_array($1, ',')::int[])`;
  await client.query(text, [pids.join(',')]);
}

/** `sessionPid` is undefined where the connection may be shared. Undefined when another replica has taken over. */
export async function renewTerm(
  client: ElectionClient,
  { id }: Pick<ReplicaIdentity, 'id'>,
  term: { readonly epoch: number; readonly sessionPid: number | undefined },
): Promise<Renewal | undefined> {
  // Changes nothing but after another connection was opened; first, so that nobody misses the session that was renewed.
  await client.query(
    `UPDATE vp.active_replica SET session_pid = $3
     WHERE replica_id = $1 AND epoch = $2 AND session_pid IS DISTINCT FROM $3`,
    [id, term.epoch, term.sessionPid ?? null],
  );
  // Waits for a takeover that is on its way, and finds no row then.
  const { rows } = await client.query(
    `WITH term AS MATERIALIZED (SELECT FROM vp.active_replica WHERE replica_id = $1 AND epoch = $2 FOR SHARE)
     SELECT pg_backend_pid() AS session_pid, ${databaseNowMs} AS database_ms, setval('vp.last_renewal', ${databaseNowUs}) FROM term`,
    [id, term.epoch],
  );
  const [row] = RenewalRow.parse(rows);
  return row && { sessionPid: row.session_pid, databaseMs: row.database_ms };
}

/** Wakes standbys that listen; the others see the release at their next poll. */
export const releaseChannel = 'vp_release';

/** Nobody is active from now on; the next replica need not wait. */
export async function releaseTerm(
  client: ElectionClient,
  { id }: Pick<ReplicaIdentity, 'id'>,
  epoch: number,
): Promise<void> {
  await client.query(
    `UPDATE vp.active_replica SET replica_id = NULL, session_pid = NULL, expiry_ms = NULL
     WHERE replica_id = $1 AND epoch = $2`,
    [id, epoch],
  );
  await client.query(`NOTIFY ${releaseChannel}`);
}
