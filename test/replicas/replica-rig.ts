/** Replicas in the process of a test, on a real PostgreSQL, with a small application in place of the control plane. */

import pg from 'pg';
import type { Test } from 'tap';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import type { VpError } from '../../src/errors/vp-error.ts';
import type { RequestHandler } from '../../src/http/listener/request-listener.ts';
import type { ActiveRole } from '../../src/replicas/active-role.ts';
import { ElectionConnection } from '../../src/replicas/election/election-connection.ts';
import { defaultElectionTimings, type ElectionTimings } from '../../src/replicas/election/timings.ts';
import { Replica } from '../../src/replicas/replica.ts';
import { defaultRoutingLimits, type RoutingLimits } from '../../src/replicas/routing/request-router.ts';
import { prepareElection } from '../../src/store/postgres/election.ts';
import { createElectionSession } from '../../src/store/postgres/election-session.ts';
import { eventually } from '../eventually.ts';
import { createMemoryLog, type LogLine } from '../http/memory-log.ts';

export type TestReplica = {
  readonly id: string;
  readonly replica: Replica;
  readonly url: string;
  readonly lines: LogLine[];
  /** The role that its application got last. */
  readonly roles: ActiveRole[];
  /** What would end its process. */
  readonly failures: unknown[];
  /** Ends its connection to the database, as a network does that resets it. */
  cutConnection(): void;
  /** The same, and it cannot connect again. */
  cutOff(): void;
  /** It can connect again. */
  restoreAccess(): void;
};

export type TestReplicaOptions = {
  readonly databaseUrl: string;
  readonly handler: RequestHandler;
  readonly publicUrls?: readonly URL[];
  readonly hopKey?: Uint8Array;
  readonly routingLimits?: Partial<RoutingLimits>;
  readonly timings?: Partial<ElectionTimings>;
  readonly startPlane?: (role: ActiveRole) => Promise<void>;
};

/** Where the application of the tests understands an `Idempotency-Key`. */
export const isTestKeyed = (method: string, path: string): boolean => method === 'POST' && path === '/keyed';

export const testHopKey = new Uint8Array(32).fill(7);

/** Stopped after the test. */
export async function startReplica(t: Test, id: string, options: TestReplicaOptions): Promise<TestReplica> {
  const { log, lines } = createMemoryLog();
  const { databaseUrl, handler, publicUrls = [], hopKey = testHopKey } = options;
  const roles: ActiveRole[] = [];
  const failures: unknown[] = [];
  let client: pg.Client | undefined;
  let isCutOff = false;
  const cutConnection = (): void => void client?.connection.stream.destroy();
  const cutOff = (): void => {
    isCutOff = true;
    cutConnection();
  };
  const restoreAccess = (): void => {
    isCutOff = false;
  };
  const connect = async () => {
    if (isCutOff) throw new Error('cut off');
    client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => undefined);
    await client.connect();
    return createElectionSession({
      client,
      server: { isPooled: false },
      describeError: (error) => error as VpError,
    });
  };
  const connection = new ElectionConnection({ connect, clock: systemClock, stepMs: defaultElectionTimings.stepMs });
  await connection.run(({ session }) => prepareElection(session));
  const replica = new Replica({
    ...{
      id,
      version: '1.0.0',
      host: '127.0.0.1',
      port: 0,
      connection,
      hopKey,
      isKeyed: isTestKeyed,
      log: { ...log, info: () => undefined },
    },
    ...{
      clock: systemClock,
      timings: { ...defaultElectionTimings, ...options.timings },
      drainMs: 0,
      onFailure: (error: unknown) => void failures.push(error),
    },
    routingLimits: { ...defaultRoutingLimits, ...options.routingLimits },
    getAddress: ({ url }) => url,
    async startPlane(role) {
      roles.push(role);
      await options.startPlane?.(role);
      const listening = await role.openListener({
        ...{ host: '127.0.0.1', port: 0, handler, publicUrls, random: systemRandom, clock: systemClock, log },
      });
      return { close: () => listening.close() };
    },
  });
  t.teardown(() => replica.stop());
  await replica.start();
  return { id, replica, url: replica.url, lines, roles, failures, cutConnection, cutOff, restoreAccess };
}

/** The one that serves, once there is exactly one and the others know it. */
export function findActive(replicas: readonly TestReplica[]): Promise<TestReplica> {
  return eventually(() => {
    const active = replicas.filter(({ replica }) => replica.status.role === 'active');
    const [first] = active;
    const isAgreed = replicas.every(({ replica }) => replica.status.activeId === first?.id);
    return active.length === 1 && isAgreed ? first : undefined;
  });
}
