/** `/healthz` and `/readyz` of a replica without a control plane; that of the active one answers for itself. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReplicaStatus } from '../replica-status.ts';
import { writeJson } from './request-router.ts';

/** `status` is undefined while this replica serves. True when the request was answered. */
export function answerProbe(
  { method, url }: Pick<IncomingMessage, 'method' | 'url'>,
  outgoing: ServerResponse,
  status: ReplicaStatus | undefined,
  isStopping: boolean,
): boolean {
  if (!status || (method !== 'GET' && method !== 'HEAD')) return false;
  if (url === '/healthz') writeJson(outgoing, 200, { status: 'ok' });
  else if (url === '/readyz') writeReadiness(outgoing, status, isStopping);
  else return false;
  return true;
}

function writeReadiness(outgoing: ServerResponse, status: ReplicaStatus, isStopping: boolean): void {
  const { id, role, epoch = null, activeId = null, replicas } = status;
  // Replicas exist with PostgreSQL only.
  const store = { engine: 'postgresql' };
  const replica = { id, role, epoch, active: activeId, live: replicas.length };
  const reason = findReason(status, isStopping);
  if (!reason) writeJson(outgoing, 200, { status: 'ready', store, replica });
  else writeJson(outgoing, 503, { status: 'not ready', reason, store, replica });
}

/** Why this replica is not ready. */
function findReason({ id, activeId, isCutOff }: ReplicaStatus, isStopping: boolean): string | undefined {
  if (isStopping) return 'SHUTTING_DOWN';
  if (isCutOff) return 'STORE_DATABASE_UNAVAILABLE';
  // Being active and not serving means that the control plane starts.
  return activeId === undefined || activeId === id ? 'REPLICA_NONE_ACTIVE' : undefined;
}
