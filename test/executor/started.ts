/** An executor on a store of the test, in front of a target that keeps what arrived. */
import { join } from 'node:path';
import type { ControlPort } from '../../src/contract/executor-api.ts';
import { type Clock, systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { createRunner } from '../../src/executor/execute.ts';
import { type Executor, startExecutor } from '../../src/executor/executor.ts';
import { targetDispatcher } from '../../src/outbound/target-dispatcher.ts';
import { openDatabase } from '../../src/store/database.ts';
import { outboxStoreKind } from '../../src/store/outbox/schema.ts';
import { projectOf } from './project.ts';

/** A started executor. */
export type Started = {
  readonly executor: Executor;
  readonly logged: string[];
  /** Resolves when the control plane has welcomed it. */
  welcomed(): Promise<void>;
  /** Stops it in order and closes its store. */
  stop(): Promise<void>;
  /** What a kill -9 leaves: the store as it is; nothing is heard of this start any more. */
  kill(): Promise<void>;
};

/** Where and against what. */
export type StartOptions = {
  readonly folder: string;
  readonly control: ControlPort;
  readonly origin: string;
  readonly clock?: Clock;
};

/** Pauses between attempts are cut short. */
const hurried: Clock = {
  ...systemClock,
  sleep: (delayMs, signal) => systemClock.sleep(Math.min(delayMs, 10), signal),
};

/** Starts; the store stays in `folder` for the next start. */
export async function start({ folder, control, origin, clock = hurried }: StartOptions): Promise<Started> {
  const database = openDatabase({ file: join(folder, 'executor.db'), kind: outboxStoreKind });
  const project = projectOf({ baseUrl: origin, token: 'sekrit-token' });
  const dispatcher = targetDispatcher();
  const runner = createRunner({ project, dispatcher, clock: systemClock, version: '0.4.0' });
  const logged: string[] = [];
  const note = (_fields: unknown, message: string): void => void logged.push(message);
  const plug = { pulled: false };
  const parts = {
    control: plugged(control, plug),
    runner,
    database,
    project,
    clock,
    random: systemRandom,
    version: '0.4.0',
  };
  const executor = await startExecutor({ ...parts, log: { info: note, warn: note } });
  const end = async (): Promise<void> => {
    dispatcher.close();
    await database.close();
  };
  return {
    executor,
    logged,
    welcomed: () => until(async () => (await executor.status()).state !== 'starting'),
    async stop() {
      await executor.stop(200);
      await end();
    },
    async kill() {
      plug.pulled = true;
      await end();
      void executor.stop(0);
    },
  };
}

/** The port, until the plug is pulled: then no call arrives and none is answered. */
function plugged(control: ControlPort, plug: { readonly pulled: boolean }): ControlPort {
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    const silence = new Promise<never>(() => {});
    if (plug.pulled) return silence;
    const answer = await call().catch((error: unknown) => (plug.pulled ? silence : Promise.reject(error)));
    return plug.pulled ? silence : answer;
  };
  return {
    hello: (message, signal) => through(() => control.hello(message, signal)),
    poll: (message, signal) => through(() => control.poll(message, signal)),
    heartbeat: (message, signal) => through(() => control.heartbeat(message, signal)),
    complete: (message, signal) => through(() => control.complete(message, signal)),
    giveBack: (message, signal) => through(() => control.giveBack(message, signal)),
    directRun: (message, signal) => through(() => control.directRun(message, signal)),
  };
}

/** Resolves when `holds` does; fails after two seconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 400; round += 1) {
    if (await holds()) return;
    await systemClock.sleep(5);
  }
  throw new Error(`never came about: ${holds}`);
}
