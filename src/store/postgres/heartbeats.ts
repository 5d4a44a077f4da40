/** Each replica says that it lives; the others see it in the list of live replicas. */
import { Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { ElectionClient, ReplicaIdentity } from './election.ts';

export type LiveReplica = ReplicaIdentity & {
  readonly startedMs: number;
  /** By the clock of the database, as is the start. */
  readonly heartbeatMs: number;
};

/** Of all replicas together: those of 5 s, also with 100 of them. */
const maxHeartbeats = 500;
/** Behind them, what a heartbeat removes: more than one, because numbers can be missing. */
const removedHeartbeats = 100;
/** Replicas that started so long ago and are silent are forgotten. */
const forgottenAfter = "interval '1 day'";

const ReplicaRow = createRowReader(
  Type.Object({
    id: Type.String(),
    address: Type.String(),
    version: Type.String(),
    started_ms: Type.Number(),
    heartbeat_ms: Type.Number(),
  }),
);
const NumberRow = createRowReader(Type.Object({ number: Type.Number() }));

/** Says that this replica, which started `ageMs` ago, lives; forgets those that did not say so for long. */
export async function saveHeartbeat(client: ElectionClient, replica: ReplicaIdentity, ageMs: number): Promise<void> {
  await client.query(
    `INSERT INTO vp.replicas (id, address, version, started_at)
       VALUES ($1, $2, $3, clock_timestamp() - $4 * interval '1 millisecond') ON CONFLICT DO NOTHING`,
    [replica.id, replica.address, replica.version, ageMs],
  );
  const { rows } = await client.query(
    `INSERT INTO vp.heartbeats (replica_id, at) VALUES ($1, clock_timestamp()) RETURNING number::float8 AS number`,
    [replica.id],
  );
  const oldest = (NumberRow.parse(rows)[0]?.number ?? 0) - maxHeartbeats;
  await client.query('DELETE FROM vp.heartbeats WHERE number BETWEEN $1 AND $2', [oldest - removedHeartbeats, oldest]);
  await client.query(
    `DELETE FROM vp.replicas r WHERE started_at < clock_timestamp() - ${forgottenAfter}
       AND NOT EXISTS (SELECT 1 FROM vp.heartbeats h WHERE h.replica_id = r.id AND h.number > $1)`,
    [oldest],
  );
}

/** A replica that stops. */
export async function removeReplica(client: ElectionClient, id: string): Promise<void> {
  await client.query('DELETE FROM vp.replicas WHERE id = $1', [id]);
}

/** Oldest first. */
export async function listLiveReplicas(client: ElectionClient, maxSilentMs: number): Promise<LiveReplica[]> {
  const { rows } = await client.query(
    `SELECT r.id, r.address, r.version, (extract(epoch FROM r.started_at) * 1000)::float8 AS started_ms,
       (extract(epoch FROM h.at) * 1000)::float8 AS heartbeat_ms
     FROM vp.replicas r JOIN (
       SELECT replica_id, max(at) AS at FROM vp.heartbeats
       WHERE number > (SELECT max(number) FROM vp.heartbeats) - ${maxHeartbeats} GROUP BY replica_id
     ) h ON h.replica_id = r.id
     WHERE h.at > clock_timestamp() - $1 * interval '1 millisecond' ORDER BY r.started_at, r.id`,
    [maxSilentMs],
  );
  return ReplicaRow.parse(rows).map(({ started_ms, heartbeat_ms, ...replica }) => ({
    ...replica,
    startedMs: started_ms,
    heartbeatMs: heartbeat_ms,
  }));
}
