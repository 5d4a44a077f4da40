/** A control plane on PostgreSQL, as one of several replicas: the election, the listener, and the control plane while it is active. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SystemReplica } from '../../contract/system-api.ts';
import { formatTimestamp } from '../../contract/timestamp.ts';
import type { Clock } from '../../environment/clock.ts';
import { version } from '../../environment/version.ts';
import type { HttpListener } from '../../http/listener/listen.ts';
import type { ActiveRole } from '../../replicas/active-role.ts';
import { ElectionConnection, type OpenSession } from '../../replicas/election/election-connection.ts';
import { defaultElectionTimings } from '../../replicas/election/timings.ts';
import { createKeyFingerprint, deriveHopKey, openReplicaKey } from '../../replicas/master-key.ts';
import { Replica } from '../../replicas/replica.ts';
import type { ReplicaStatus } from '../../replicas/replica-status.ts';
import { defaultRoutingLimits } from '../../replicas/routing/request-router.ts';
import type { ReplicaState } from '../../server/description/replica-state.ts';
import { isKeyedRoute, serverRoutes } from '../../server/route-table.ts';
import { connectPostgres } from '../../store/postgres/connect.ts';
import { createErrorDescriber } from '../../store/postgres/connection-errors.ts';
import type { PostgresSettings } from '../../store/postgres/connection-settings.ts';
import { assertNoCopyMark } from '../../store/postgres/copy-mark.ts';
import { prepareElection, saveKeyFingerprint } from '../../store/postgres/election.ts';
import { createElectionSession } from '../../store/postgres/election-session.ts';
import { endConnection } from '../../store/postgres/end-connection.ts';
import { answerMs } from '../../store/postgres/session.ts';
import { assertNotNewer } from '../../store/postgres/store-versions.ts';
import { openPostgresStores, postgresStoreKinds } from '../../store/postgres/stores.ts';
import { type ControlPlane, type ControlPlaneOptions, countConnections, startControlPlane } from './control-plane.ts';
import { importGatewayParts } from './hub-gateway-parts.ts';

export type ReplicationOptions = {
  /** `direct` goes to the server behind a pooler. */
  readonly database: { readonly main: PostgresSettings; readonly direct: PostgresSettings | undefined };
  /** The URL at which other replicas reach this one; that of the listener by default. */
  readonly address: string | undefined;
  /** When it stops: how long requests are still taken. */
  readonly drainMs: number;
  /** Called each time this replica has become the active one and serves. */
  readonly onActive: (plane: ControlPlane) => Promise<void>;
};

export type RunningReplica = {
  readonly id: string;
  readonly url: string;
  readonly status: ReplicaStatus;
  /** Rejects when the first control plane of this process could not start. */
  readonly failed: Promise<never>;
  stop(): Promise<void>;
};

/** Rejects with STORE_DATABASE_*, REPLICA_*, LISTEN_*; nothing is left open then. */
export async function startReplica(
  options: ControlPlaneOptions,
  replication: ReplicationOptions,
): Promise<RunningReplica> {
  const { environment, folder, log, host, port } = options;
  const { clock, random, variables } = environment;
  // Says what is wrong with the servers; steps of the election have less time.
  const { main, direct } = replication.database;
  if (direct) await examineServer(direct, clock);
  await examineServer(main, clock);
  const connection = createConnection(options, replication);
  try {
    const openKey = async ({ session }: OpenSession) => {
      await prepareElection(session);
      return openReplicaKey(session, { folder, variable: variables.VP_MASTER_KEY }, random);
    };
    // A step that took too long says so in no words of ours.
    const masterKey = await connection.run(openKey).catch((error: unknown) => {
      throw createErrorDescriber(direct ?? main)(error);
    });
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => undefined);
    const id = `${environment.hostname.slice(0, 60)}-${random.token(5)}`;
    const replica: Replica = new Replica({
      ...{ id, version, host, port, connection, clock, log, hopKey: deriveHopKey(masterKey), isKeyed: isKeyedRoute },
      ...{ timings: defaultElectionTimings, routingLimits: defaultRoutingLimits, drainMs: replication.drainMs },
      limits: { connections: countConnections(options) },
      getAddress: ({ url }: HttpListener) => replication.address ?? url,
      onFailure: failure.reject,
      async startPlane(role: ActiveRole) {
        const getReplica = () => toReplicaState(replica.status);
        const listReplicas = () => toSystemReplicas(replica.status);
        const planeOptions = { ...options, getReplica, listReplicas };
        const plane = await startActivePlane(planeOptions, replication.database, role);
        try {
          const fingerprint = createKeyFingerprint(masterKey);
          await connection.run(({ session }) => saveKeyFingerprint(session, fingerprint));
          await replication.onActive(plane);
        } catch (error) {
          await plane.close();
          throw error;
        }
        return plane;
      },
    });
    await replica.start();
    void warmUp().catch((error: unknown) => log.warn({ err: error }, 'this replica could not prepare to take over'));
    return {
      ...{ id, failed: failure.promise, stop: () => replica.stop() },
      get url() {
        return replica.url;
      },
      get status() {
        return replica.status;
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function toReplicaState({ id, role, epoch, activeId, replicas }: ReplicaStatus): ReplicaState {
  return { id, role, epoch: epoch ?? null, active: activeId ?? null, live: replicas.length };
}

function toSystemReplicas({ activeId, replicas }: ReplicaStatus): SystemReplica[] {
  return replicas.map(({ id, version, address, startedMs, heartbeatMs }) => ({
    ...{ id, version, address },
    role: id === activeId ? 'active' : 'standby',
    started_at: formatTimestamp(startedMs),
    heartbeat_at: formatTimestamp(heartbeatMs),
  }));
}

/** A standby needs stores that it can serve, too: it may have to at any moment. */
async function examineServer(settings: PostgresSettings, clock: Clock): Promise<void> {
  const clientOptions = { query_timeout: answerMs };
  const { client, describeError } = await connectPostgres(settings, { clock, clientOptions });
  const label = `${settings.address}/${settings.database}`;
  try {
    await assertNotNewer(client, postgresStoreKinds, label);
    await assertNoCopyMark(client, label);
  } catch (error) {
    throw describeError(error);
  } finally {
    await endConnection(client);
  }
}

async function startActivePlane(
  options: ControlPlaneOptions,
  { main, direct }: ReplicationOptions['database'],
  { epoch, signal, onReplaced, openListener }: ActiveRole,
): Promise<ControlPlane> {
  const { clock } = options.environment;
  const hints = { kind: 'listen', settings: direct ?? main } as const;
  const stores = await openPostgresStores({ settings: main, clock, epoch: () => epoch, signal, onReplaced, hints });
  try {
    const plane = await startControlPlane({ ...options, openListener, stores });
    const close = async (): Promise<void> => {
      await plane.close();
      await stores.close();
    };
    return { ...plane, close };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

function createConnection(
  { environment: { clock } }: ControlPlaneOptions,
  { database: { main, direct } }: ReplicationOptions,
): ElectionConnection {
  const connect = async () => createElectionSession(await connectPostgres(direct ?? main, { clock }));
  return new ElectionConnection({ connect, clock, stepMs: defaultElectionTimings.stepMs });
}

/**
 * Loads and compiles what a control plane needs at its first requests: measured, a replica that took over spent 0.3 to 0.45 s of
 * the processor on them, for which all that waited had to wait. In many turns, so that what passes through this one need not.
 */
async function warmUp(): Promise<void> {
  await importGatewayParts();
  for (const { prepare } of serverRoutes) {
    prepare();
    await nextTurn();
  }
}
