/** An executor on a store of the test, with a target that records its requests. */
import { join } from 'node:path';
import type { ControlPort } from '../../src/contract/executor-api.ts';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { type Executor, startExecutor } from '../../src/executor/executor.ts';
import { createRunner } from '../../src/executor/runs/runner.ts';
import { createTargetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { openDatabase } from '../../src/store/engine.ts';
import { outboxStoreKind } from '../../src/store/outbox/outbox-schema.ts';
import { readFileIdentity } from '../../src/store/outbox/outbox-store.ts';
import { eventually } from '../eventually.ts';
import { createTestProject } from './test-project.ts';

export type TestExecutor = {
  readonly executor: Executor;
  readonly logMessages: string[];
  /** Resolves when the control plane has accepted the hello. */
  waitForWelcome(): Promise<void>;
  /** Stops it in order and closes its store. */
  stop(): Promise<void>;
  /** Simulates kill -9: the store remains as it is, and this start sends and receives nothing more. */
  kill(): Promise<void>;
};

export type StartOptions = {
  readonly folder: string;
  readonly control: ControlPort;
  readonly origin: string;
  readonly clock?: Clock;
  readonly isControlInProcess?: boolean;
};

/** Shortens the pauses between attempts. */
const shortSleepClock: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, 10), signal),
};

/** The store remains in `folder` for the next start. */
export async function startTestExecutor({
  folder,
  control,
  origin,
  clock = shortSleepClock,
  isControlInProcess = false,
}: StartOptions): Promise<TestExecutor> {
  const file = join(folder, 'executor.db');
  const database = openDatabase({ file, createKind: outboxStoreKind });
  const project = createTestProject({ baseUrl: origin, token: 'sekrit-token' });
  const dispatcher = createTargetDispatcher();
  const runner = createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0' });
  const logMessages: string[] = [];
  const note = (_fields: unknown, message: string): void => void logMessages.push(message);
  const connection = { isCut: false };
  const parts = {
    control: createCuttablePort(control, connection),
    isControlInProcess,
    runner,
    database,
    fileIdentity: readFileIdentity(file),
    project,
    clock,
    random: systemRandom,
    version: '0.4.0',
  };
  const executor = await startExecutor({ ...parts, log: { info: note, warn: note } });
  const close = async (): Promise<void> => {
    dispatcher.close();
    await database.close();
  };
  return {
    executor,
    logMessages,
    waitForWelcome: async () =>
      void (await eventually(() => executor.status(), { until: ({ state }) => state !== 'starting' })),
    async stop() {
      await executor.stop(200);
      await close();
    },
    async kill() {
      connection.isCut = true;
      await close();
      void executor.stop(0);
    },
  };
}

/** The control port until it is cut: then calls do not arrive and never return. */
function createCuttablePort(control: ControlPort, connection: { readonly isCut: boolean }): ControlPort {
  const forward = async <T>(call: () => Promise<T>): Promise<T> => {
    const silence = new Promise<never>(() => {});
    if (connection.isCut) return silence;
    const response = await call().catch((error: unknown) => (connection.isCut ? silence : Promise.reject(error)));
    return connection.isCut ? silence : response;
  };
  return {
    challenge: (message, signal) => forward(() => control.challenge(message, signal)),
    hello: (message, signal) => forward(() => control.hello(message, signal)),
    poll: (message, signal) => forward(() => control.poll(message, signal)),
    heartbeat: (message, signal) => forward(() => control.heartbeat(message, signal)),
    complete: (message, signal) => forward(() => control.complete(message, signal)),
    giveBack: (message, signal) => forward(() => control.giveBack(message, signal)),
    directRun: (message, signal) => forward(() => control.directRun(message, signal)),
  };
}
