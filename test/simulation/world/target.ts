/** The target: it counts what it received, by correlation id, and responds late, wrongly or never. */
import type { AbortRequest, TargetDispatcher } from '../../../src/outbound/target-dispatcher.ts';
import type { WireListener, WireRequest } from '../../../src/outbound/wire.ts';
import type { Scheduler } from './scheduler.ts';
import { createSeededRandom } from './seeded-random.ts';
import type { SimProcess } from './sim-process.ts';

export type TargetOptions = {
  readonly seed: string;
  readonly scheduler: Scheduler;
  readonly isHostile: boolean;
  /** `executor`: its name, in all of its starts. */
  readonly onReceived: (executor: string, correlationId: string, count: number) => void;
};

function findCorrelationId({ headers }: WireRequest): string {
  const index = headers.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'x-correlation-id');
  return headers[index + 1] ?? '';
}

/** Every request of a run has its own path, so that this names one request for ever. */
function describe(request: WireRequest): string {
  return `${findCorrelationId(request)} ${request.method} ${request.path}`;
}

export class SimTarget {
  readonly #options: TargetOptions;
  /** How often each request arrived: correlation id, method and path. */
  readonly received = new Map<string, number>();

  constructor(options: TargetOptions) {
    this.#options = options;
  }

  /** How many runs have reached it: a correlation id begins with `tr-` and the id of the run. */
  countRuns(): number {
    return new Set([...this.received.keys()].map((key) => key.split('-')[1])).size;
  }

  /** The connections of one process to the target. */
  createDispatcher(process: SimProcess): TargetDispatcher {
    return {
      sendOnce: (request, listener) => this.#send(process, request, listener),
      openSocket: () => () => {},
      openHttp2Socket: () => () => {},
      close: () => {},
    };
  }

  #send(process: SimProcess, request: WireRequest, listener: WireListener): AbortRequest {
    const { scheduler, seed, isHostile } = this.#options;
    const random = createSeededRandom(`${seed}/target/${describe(request)}`);
    let isAborted = false;
    const step = (delayMs: number, action: () => void): void => {
      scheduler.schedule(delayMs, process, () => {
        if (!isAborted) action();
      });
    };
    const respond = (): void => {
      const isWrong = isHostile && random.chance(0.2);
      listener.onFirstByte();
      listener.onHead(isWrong ? 500 : 200, ['content-type', 'application/json']);
      listener.onData(Buffer.from('{"data":[],"id":7}'));
      listener.onEnd(0);
    };
    step(1, () => {
      if (!process.mayContinue('before a request') || !listener.mayStart(true)) return;
      this.#receive(process, describe(request));
      if (!process.mayContinue('after a request')) return;
      if (isHostile && random.chance(0.05)) return;
      step(isHostile && random.chance(0.3) ? random.integer(100, 9000) : random.integer(1, 50), respond);
    });
    return () => {
      isAborted = true;
    };
  }

  #receive({ name }: SimProcess, correlationId: string): void {
    const count = (this.received.get(correlationId) ?? 0) + 1;
    this.received.set(correlationId, count);
    this.#options.scheduler.log(name, `target receives ${correlationId}${count > 1 ? ` for the ${count}th time` : ''}`);
    this.#options.onReceived(name.replace(/#.*/, ''), correlationId, count);
  }
}
