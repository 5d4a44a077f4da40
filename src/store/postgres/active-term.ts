/**
 * The terms of the active replica. A standby takes over in one transaction that has every lock of the stores' writes, so that
 * no write of the replica before it can be committed afterwards.
 */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import {
  databaseNowMs,
  type ElectionClient,
  type ElectionState,
  inTransaction,
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
  seen: Pick<ElectionState, 'epoch' | 'renewals' | 'activeId'>,
  expiryMs: number,
): Promise<TakeoverResult> {
  return inTransaction(client, async () => {
    for (const lock of allWrites) {
      if (await readTruth(client, `SELECT pg_try_advisory_xact_lock(${lockClass}, ${lock})`)) continue;
      const { rows } = await client.query(writers);
      return { kind: 'busy', pids: PidRow.parse(rows).map(({ pid }) => pid) };
    }
    const { rows } = await client.query(
      `UPDATE vp.active_replica SET epoch = epoch + 1, replica_id = $1, renewals = renewals + 1, session_pid = NULL,
         ended_by = CASE WHEN replica_id IS NULL THEN 'release' ELSE 'loss' END, renewed_at = clock_timestamp(),
         expires_at = clock_timestamp() + $2 * interval '1 millisecond'
       WHERE epoch = $3 AND renewals = $4 AND replica_id IS NOT DISTINCT FROM $5 RETURNING epoch::float8 AS epoch`,
      [id, expiryMs, seen.epoch, seen.renewals, seen.activeId ?? null],
    );
    const [row] = EpochRow.parse(rows);
    return row ? { kind: 'active', epoch: row.epoch } : { kind: 'late' };
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
  term: { readonly epoch: number; readonly sessionPid: number | undefined; readonly expiryMs: number },
): Promise<Renewal | undefined> {
  const { rows } = await client.query(
    `UPDATE vp.active_replica SET renewals = renewals + 1, session_pid = $4, renewed_at = clock_timestamp(),
       expires_at = clock_timestamp() + $3 * interval '1 millisecond'
     WHERE replica_id = $1 AND epoch = $2 RETURNING pg_backend_pid() AS session_pid, ${databaseNowMs} AS database_ms`,
    [id, term.epoch, term.expiryMs, term.sessionPid ?? null],
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
    `UPDATE vp.active_replica SET replica_id = NULL, session_pid = NULL, renewals = renewals + 1, expires_at = NULL
     WHERE replica_id = $1 AND epoch = $2`,
    [id, epoch],
  );
  await client.query(`NOTIFY ${releaseChannel}`);
}
