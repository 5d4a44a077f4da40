/**
 * The network between executors and the control plane. Messages take time, so they overtake each other; they are lost, cut,
 * late, repeated at once or long after. Both sides get copies.
 */
import type { ControlPort } from '../../../src/contract/executor-api.ts';
import { toVpError } from '../../../src/errors/vp-error.ts';
import type { MessageFate } from './plan.ts';
import type { Scheduler } from './scheduler.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import type { SimProcess } from './sim-process.ts';

/** Where requests arrive; undefined while no control plane listens. */
export type Listener = { readonly process: SimProcess; readonly getPort: (instance: string) => ControlPort };

export type NetworkOptions = {
  readonly seed: string;
  readonly scheduler: Scheduler;
  readonly getListener: () => Listener | undefined;
  readonly onInternalError: (detail: string) => void;
  readonly onFault: (fate: MessageFate) => void;
  /** The control plane handles a call of that executor. */
  readonly onCall: (executor: string) => void;
};

/** One executor's way to the control plane. */
export type Link = {
  readonly random: SeededRandom;
  cutUntilMs: number;
  /** What happens to the next messages, one each. */
  readonly fates: { readonly fate: MessageFate; readonly delayMs: number }[];
};

type MethodName = keyof ControlPort;
type Invoke<T> = (port: ControlPort, signal: AbortSignal) => Promise<T>;
/** One call: what it settles for the caller, at most once. */
type Exchange<T> = {
  readonly method: MethodName;
  readonly caller: SimProcess;
  readonly executor: string;
  readonly instance: string;
  readonly link: Link;
  readonly signal: AbortSignal | undefined;
  readonly invoke: Invoke<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
};

const brokenMs = 5;
const lossNoticedMs = 10_000;
/** `unread`: of a repetition, whose response reaches no caller. */
type ResponseFate = 'sent' | 'lost' | 'unread';

export class Network {
  /** Applies to every link, besides the planned fates. */
  lossRate = 0;
  readonly #options: NetworkOptions;
  readonly #links = new Map<string, Link>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  /** The link of the executor `name`, in all of its starts. */
  getLink(name: string): Link {
    const link = this.#links.get(name);
    if (link) return link;
    const random = createSeededRandom(`${this.#options.seed}/link/${name}`);
    const created: Link = { random, cutUntilMs: 0, fates: [] };
    this.#links.set(name, created);
    return created;
  }

  /** All messages arrive from now on. */
  heal(): void {
    this.lossRate = 0;
    for (const link of this.#links.values()) Object.assign(link, { cutUntilMs: 0 }).fates.length = 0;
  }

  /** The control plane as `caller`, an executor of `instance`, sees it. */
  createPort(caller: SimProcess, executor: string, instance: string): ControlPort {
    const link = this.getLink(executor);
    const call = <T>(method: MethodName, signal: AbortSignal | undefined, invoke: Invoke<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        this.#send({ method, caller, executor, instance, link, signal, invoke, resolve, reject });
      });
    return {
      challenge: (message, signal) =>
        call('challenge', signal, (port, end) => port.challenge(structuredClone(message), end)),
      hello: (message, signal) => call('hello', signal, (port, end) => port.hello(structuredClone(message), end)),
      poll: (message, signal) => call('poll', signal, (port, end) => port.poll(structuredClone(message), end)),
      heartbeat: (message, signal) =>
        call('heartbeat', signal, (port, end) => port.heartbeat(structuredClone(message), end)),
      complete: (message, signal) =>
        call('complete', signal, (port, end) => port.complete(structuredClone(message), end)),
      giveBack: (message, signal) =>
        call('giveBack', signal, (port, end) => port.giveBack(structuredClone(message), end)),
      directRun: (message, signal) =>
        call('directRun', signal, (port, end) => port.directRun(structuredClone(message), end)),
    };
  }

  #chooseFate({ random, fates }: Link): Link['fates'][number] | undefined {
    const planned = fates.shift();
    if (planned) return planned;
    if (!random.chance(this.lossRate)) return undefined;
    const fate = random.pick(['request lost', 'response lost', 'repeated', 'late'] as const);
    return { fate, delayMs: Math.round(60_000 * random.next() ** 4) };
  }

  #send<T>(exchange: Exchange<T>): void {
    const { caller, method, link, signal } = exchange;
    if (!caller.mayContinue(`before sending ${method}`)) return;
    signal?.addEventListener('abort', () => exchange.reject(signal.reason), { once: true });
    const chosen = this.#chooseFate(link);
    if (chosen) {
      this.#options.scheduler.log(caller.name, `${method}: ${chosen.fate} (${chosen.delayMs} ms)`);
      this.#options.onFault(chosen.fate);
    }
    const latencyMs = this.#chooseLatencyMs(link);
    const response = chosen?.fate === 'response lost' ? 'lost' : 'sent';
    if (chosen?.fate === 'request lost' || this.#isCut(link)) this.#break(exchange, chosen?.delayMs ?? 20_000);
    else this.#deliver(exchange, latencyMs + (chosen?.fate === 'late' ? chosen.delayMs : 0), response);
    if (chosen?.fate === 'repeated') this.#deliver(exchange, latencyMs + chosen.delayMs, 'unread');
    caller.mayContinue(`after sending ${method}`);
  }

  #isCut({ cutUntilMs }: Link): boolean {
    return cutUntilMs > this.#options.scheduler.nowMs;
  }

  /** The caller notices that its connection broke. */
  #break<T>({ caller, reject }: Exchange<T>, delayMs: number): void {
    this.#options.scheduler.schedule(delayMs, caller, () => reject(new TypeError('fetch failed')));
  }

  #deliver<T>(exchange: Exchange<T>, delayMs: number, response: ResponseFate): void {
    const { scheduler, getListener } = this.#options;
    scheduler.schedule(delayMs, undefined, () => {
      const listener = getListener();
      const isReached = listener !== undefined && !this.#isCut(exchange.link);
      if (!isReached && response !== 'unread') this.#break(exchange, brokenMs);
      if (!isReached) return;
      scheduler.schedule(0, listener.process, () => this.#handle(exchange, listener, response));
    });
  }

  /** In the control plane. A message that was repeated or late is handled although its caller has ended. */
  #handle<T>(exchange: Exchange<T>, { process, getPort }: Listener, response: ResponseFate): void {
    const { method, instance, invoke } = exchange;
    const { scheduler } = this.#options;
    scheduler.log(process.name, `${method} of ${exchange.caller.name}${response === 'unread' ? ', repeated' : ''}`);
    this.#options.onCall(exchange.executor);
    const signal = this.#watchCaller(exchange, process, response);
    const breakUnlessUnread = (delayMs: number): void => {
      if (response !== 'unread') this.#break(exchange, delayMs);
    };
    const stopWatching = process.onEnd(() => breakUnlessUnread(brokenMs));
    const respond = (settle: () => void): void => {
      stopWatching();
      if (!process.mayContinue(`before answering ${method}`)) breakUnlessUnread(brokenMs);
      else if (response !== 'sent' || this.#isCut(exchange.link)) breakUnlessUnread(lossNoticedMs);
      else scheduler.schedule(this.#chooseLatencyMs(exchange.link), exchange.caller, settle);
    };
    invoke(getPort(instance), signal).then(
      (value) => respond(() => exchange.resolve(structuredClone(value))),
      (error: unknown) => respond(() => exchange.reject(this.#toRemoteError(error))),
    );
  }

  /** Aborted when the caller closes the connection. */
  #watchCaller<T>({ caller, signal }: Exchange<T>, process: SimProcess, response: ResponseFate): AbortSignal {
    const connection = new AbortController();
    const close = (): void => {
      this.#options.scheduler.schedule(brokenMs, process, () => connection.abort(new Error('the client closed')));
    };
    if (response === 'unread') return connection.signal;
    if (!caller.isAlive || signal?.aborted) close();
    caller.onEnd(close);
    signal?.addEventListener('abort', close, { once: true });
    return connection.signal;
  }

  #chooseLatencyMs({ random }: Link): number {
    return 0.2 + random.next() * 4;
  }

  #toRemoteError(thrown: unknown): unknown {
    const error = toVpError(thrown);
    if (error.code === 'INTERNAL') this.#options.onInternalError(error.detail ?? error.message);
    return error;
  }
}
