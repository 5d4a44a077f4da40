import type { LiveReplica } from '../store/postgres/heartbeats.ts';

export type ReplicaRole = 'active' | 'standby';

/** What a replica knows of itself and of the others. */
export type ReplicaStatus = {
  readonly id: string;
  readonly role: ReplicaRole;
  /** Undefined until the election was read. */
  readonly epoch: number | undefined;
  readonly activeId: string | undefined;
  /** The database was not reached for a while. */
  readonly isCutOff: boolean;
  readonly replicas: readonly LiveReplica[];
};
