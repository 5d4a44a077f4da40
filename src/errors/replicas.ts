/** Errors of the replicas of one control plane. */
import { invalid, localFailure, notReady, peerFailure, withStatus } from './row.ts';

export const replicaErrors = {
  REPLICA_NONE_ACTIVE: notReady(
    'no replica of this control plane is active; the request was not executed',
    'try again in a few seconds; if that goes on, see the logs of the replicas and whether PostgreSQL can be reached',
  ),
  REPLICA_LOST: peerFailure(
    'the active replica was lost before it answered; the request may have been executed',
    'look at what is stored, then try again; a request with an Idempotency-Key can be repeated as it is',
  ),
  REPLICA_LOOP: withStatus(508)(
    'the request passed {{hops}} replicas, and none of them is active',
    'check that every replica has an address of its own in --replica-address',
  ),
  REPLICA_KEY_DIFFERENT: localFailure(
    'the master key of this replica is not that of the others',
    'give all replicas the same VP_MASTER_KEY, or copy master.key of a replica that works into the folder {{folder}}',
  ),
  REPLICA_KEY_MISSING: localFailure(
    'this replica has no master key, and the store in the database was written with one',
    'set VP_MASTER_KEY to that of the other replicas, or copy master.key of one of them into the folder {{folder}}',
  ),
  REPLICA_ADDRESS_INVALID: invalid(
    'the other replicas cannot reach this one: {{problem}}',
    'name the URL at which they reach its listener, such as `--replica-address http://10.0.0.5:7700`',
  ),
} as const;
