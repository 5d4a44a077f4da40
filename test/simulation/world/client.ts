/** A client of the control plane: its calls take time and may get no response; it repeats requests with their key. */
import { toVpError, VpError } from '../../../src/errors/vp-error.ts';
import type { Checker } from './checker.ts';
import type { ControlServices } from './control-host.ts';
import type { Scheduler } from './scheduler.ts';
import type { SeededRandom } from './seeded-random.ts';

export type ClientOptions = {
  readonly random: SeededRandom;
  readonly scheduler: Scheduler;
  readonly checker: Checker;
  readonly scenario: string;
  readonly getListener: () => ControlServices | undefined;
};

/** The control plane is away, or the connection broke before the response. */
export class NoResponseError extends Error {}

const maxRetryMs = 3000;

export class Client {
  /** Messages are lost at this rate, until the faults end. */
  lossRate = 0;
  /** Requests that have no response yet. */
  pending = 0;
  readonly #options: ClientOptions;
  #count = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Calls the control plane once. Rejects with its error or {@link NoResponseError}. */
  call<T>(work: (services: ControlServices) => Promise<T>): Promise<T> {
    const { scheduler, random, getListener } = this.#options;
    const latencyMs = (): number => 0.2 + random.next() * 3;
    const [isRequestLost, isResponseLost] = [random.chance(this.lossRate), random.chance(this.lossRate)];
    return new Promise((resolve, reject) => {
      const lose = (delayMs: number): void => {
        scheduler.schedule(delayMs, undefined, () => reject(new NoResponseError()));
      };
      scheduler.schedule(latencyMs(), undefined, () => {
        const listener = getListener();
        if (!listener || isRequestLost) return lose(1000);
        const { process } = listener;
        const stopWatching = process.onEnd(() => lose(5));
        const respond = (settle: () => void): void => {
          stopWatching();
          if (!process.mayContinue('before answering a client') || isResponseLost) lose(1000);
          else scheduler.schedule(latencyMs(), undefined, settle);
        };
        scheduler.schedule(0, process, () => {
          work(listener).then(
            (value) => respond(() => resolve(value)),
            (error: unknown) => respond(() => reject(error)),
          );
        });
      });
    });
  }

  /** Requests runs until there is a response; `repeats`: the same request is sent once more, much later. */
  async request(instance: string, count: number, repeats: boolean): Promise<void> {
    const { scheduler, random, checker, scenario } = this.#options;
    this.#count += 1;
    const key = `request-${this.#count}`;
    const scenarios = Array.from({ length: count }, () => ({ id: scenario }));
    this.pending += 1;
    await this.#retry(async () => {
      const { storeGeneration } = checker;
      const runs = await this.call(({ control }) =>
        control.runs.request(instance, { scenarios }, { name: 'ana' }, key),
      );
      const runIds = runs.map(({ run_id }) => run_id);
      scheduler.log('client', `${key} of ${instance} is ${runIds.join(' ')}`);
      if (storeGeneration === checker.storeGeneration) checker.recordResponse({ instance, key, runIds });
    });
    this.pending -= 1;
    if (!repeats) return;
    await this.#pause(random.integer(0, 40_000));
    await this.#retry(async () => {
      const { storeGeneration } = checker;
      const runs = await this.call(({ control }) =>
        control.runs.request(instance, { scenarios }, { name: 'ana' }, key),
      );
      const runIds = runs.map(({ run_id }) => run_id);
      if (storeGeneration === checker.storeGeneration) checker.recordResponse({ instance, key, runIds });
    });
  }

  /** One attempt. */
  async cancel(pick: number): Promise<void> {
    const { checker, scheduler } = this.#options;
    const ids = checker.acknowledgedRunIds;
    const id = ids[pick % Math.max(1, ids.length)];
    if (id === undefined) return;
    await this.call(({ control }) => control.runs.cancel(id)).then(
      ({ state }) => scheduler.log('client', `cancels ${id}, which is ${state}`),
      (error: unknown) => {
        if (!(error instanceof NoResponseError)) this.#checkError(error, ['RUN_FINAL', 'RUN_UNKNOWN']);
      },
    );
  }

  async #retry(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof NoResponseError)) this.#checkError(error, []);
        await this.#pause(this.#options.random.integer(100, maxRetryMs));
      }
    }
  }

  /** A disk that cannot be written is a reason for an error, and so is one of `expected`. */
  #checkError(error: unknown, expected: readonly string[]): void {
    const { code, detail, message } = toVpError(error);
    const isExpected = error instanceof VpError && (code.startsWith('STORE_') || expected.includes(code));
    this.#options.scheduler.log('client', `gets ${code}`);
    if (!isExpected) this.#options.checker.fail(`a client got ${code}: ${detail ?? message}`);
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => void this.#options.scheduler.schedule(delayMs, undefined, resolve));
  }
}
