/** One client of the log reader: the logs of the project's containers, including those that start later. */

import type { Clock } from '../../environment/clock.ts';
import { VpError } from '../../errors/vp-error.ts';
import { Latch } from '../../timing/latch.ts';
import { pauseUntilAborted } from '../../timing/pause.ts';
import type { LogUnavailable } from '../log-source.ts';
import { createLogUnavailable, toLogUnavailable } from '../log-unavailable.ts';
import { type ContainerLine, ContainerLog } from './container-log.ts';
import { type Container, type ContainerOrigin, listLogContainers, readContainerOrigin } from './containers.ts';
import { type LogEngine, sendEngineRequest } from './engine-request.ts';
import { formatLineMessage, formatStateMessage, readerHeartbeatMs, resumeWindowMs } from './reader-messages.ts';

/** `services`, `afterMs`: see `TailQuery`. `write` resolves when more may be written. */
export type TailOptions = {
  readonly engine: LogEngine;
  readonly services: readonly string[] | undefined;
  readonly afterMs?: number | undefined;
  readonly clock: Clock;
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
};

type FollowedContainer = {
  readonly container: Container;
  readonly log: ContainerLog;
  state: 'idle' | 'following' | 'unreadable';
};

/** Pause before a container that ended at once is requested again. */
const minPauseMs = 200;
/** Interval of refreshes when the engine sends no events. */
const refreshIntervalMs = 5000;

/** Tails until `signal` aborts; then it resolves. Rejects with LOG_ENGINE_UNREACHABLE. */
export async function tailLogs(options: TailOptions): Promise<void> {
  const abortController = new AbortController();
  const abort = (): void => abortController.abort();
  if (options.signal.aborted) return;
  options.signal.addEventListener('abort', abort, { once: true });
  try {
    await new TailSession({ ...options, signal: abortController.signal }).run();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    options.signal.removeEventListener('abort', abort);
    abort();
  }
}

/** The first lines of a followed log may be those of the process before. */
function isAfter({ at }: ContainerLine, startedAtMs: number | undefined): boolean {
  return startedAtMs !== undefined && Date.parse(at) >= startedAtMs;
}

class TailSession {
  readonly #options: TailOptions;
  readonly #afterMs: number | undefined;
  readonly #logs = new Map<string, FollowedContainer>();
  #isFirstRefresh = true;
  #failure: LogUnavailable | undefined;
  readonly #refreshLatch: Latch;

  constructor(options: TailOptions) {
    this.#options = options;
    const { afterMs, clock } = options;
    this.#refreshLatch = new Latch(clock);
    this.#afterMs = afterMs && Math.max(afterMs, clock.nowMs() - resumeWindowMs);
  }

  async run(): Promise<void> {
    const { write, signal, clock } = this.#options;
    const starts = this.#watchStarts();
    while (!signal.aborted) {
      this.#refreshLatch.reset();
      let isRefreshDue = false;
      await this.#refresh();
      const refreshedMs = clock.monotonicMs();
      do {
        await write(
          formatStateMessage({ services: this.#listFollowedServices(), trouble: this.#getProblem() ?? null }),
        );
        await clock.sleep(minPauseMs, signal);
        isRefreshDue = await this.#refreshLatch.wait(readerHeartbeatMs - minPauseMs, signal);
      } while (!isRefreshDue && !signal.aborted && clock.monotonicMs() - refreshedMs < refreshIntervalMs);
    }
    await starts;
  }

  async #refresh(): Promise<void> {
    const { engine, services, signal } = this.#options;
    try {
      const all = await listLogContainers(engine, signal);
      this.#failure = undefined;
      const selected = all.filter(({ service }) => services?.includes(service) ?? true);
      const ids = new Set(selected.map(({ id }) => id));
      for (const id of [...this.#logs.keys()]) if (!ids.has(id)) this.#logs.delete(id);
      await Promise.all(selected.map((container) => this.#refreshContainer(container)));
      this.#isFirstRefresh = false;
    } catch (error) {
      this.#handleError(error);
    }
  }

  /**
   * Containers that existed before this session are read from their present end, or from the requested time; later ones
   * are read completely, even if they have ended.
   */
  async #refreshContainer(container: Container): Promise<void> {
    const { engine, signal } = this.#options;
    const existing = this.#logs.get(container.id);
    const tracked = existing ?? { container, log: new ContainerLog(engine, container), state: 'idle' };
    const afterMs = this.#afterMs;
    if (!existing && this.#isFirstRefresh) {
      if (afterMs === undefined) await tracked.log.skipHistory(signal);
      else tracked.log.skipBefore(afterMs);
    }
    this.#logs.set(container.id, tracked);
    const isNewContainer = !existing && (afterMs !== undefined || !this.#isFirstRefresh);
    if (tracked.state === 'idle' && (container.isRunning || isNewContainer)) void this.#follow(tracked);
  }

  /** Never rejects: the next refresh detects why a log broke off. */
  async #follow(tracked: FollowedContainer): Promise<void> {
    const { write, signal } = this.#options;
    const { service, id } = tracked.container;
    const container = id.slice(0, 12);
    tracked.state = 'following';
    try {
      const { startedAtMs, image } = await this.#findOrigin(tracked.container);
      const format = (line: ContainerLine): string =>
        formatLineMessage({
          ...{ service, container, image },
          ...line,
          startedAtMs: isAfter(line, startedAtMs) ? startedAtMs : undefined,
        });
      const result = await tracked.log.follow((lines) => write(lines.map(format).join('')), signal);
      tracked.state = result === 'unreadable' ? 'unreadable' : 'idle';
    } catch {
      tracked.state = 'idle';
    }
    this.#refreshLatch.set();
  }

  /** A log is followed anew after each start, so that one look per follow is enough. Without an answer the lines still count. */
  async #findOrigin({ id, isRunning }: Container): Promise<Partial<ContainerOrigin>> {
    const { engine, signal } = this.#options;
    return isRunning ? readContainerOrigin(engine, id, signal).catch(() => ({})) : {};
  }

  /** The engine reports starting containers at once; otherwise the next refresh finds them. */
  async #watchStarts(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      await this.#watchStartsOnce().catch(() => undefined);
      await pauseUntilAborted(clock, readerHeartbeatMs, signal);
    }
  }

  async #watchStartsOnce(): Promise<void> {
    const { engine, signal } = this.#options;
    const response = await sendEngineRequest(engine, { kind: 'starts' }, signal);
    if (response.statusCode !== 200) return void response.destroy();
    try {
      for await (const _ of response) this.#refreshLatch.set();
    } finally {
      this.#refreshLatch.set(); // The engine may have stopped.
    }
  }

  /** A missing engine ends the session; any other error may be temporary. */
  #handleError(error: unknown): void {
    if (this.#options.signal.aborted) throw error;
    if (error instanceof VpError && error.code !== 'LOG_ENGINE_FAULT') throw error;
    const reason = error instanceof Error ? error.message : String(error);
    this.#failure =
      error instanceof VpError
        ? toLogUnavailable(error)
        : createLogUnavailable('LOG_ENGINE_FAULT', { request: 'the list of containers', response: reason });
  }

  #listFollowedServices(): string[] {
    const services = this.#listContainersIn('following').map(({ service }) => service);
    return [...new Set(services)].sort();
  }

  #listContainersIn(state: FollowedContainer['state']): Container[] {
    return [...this.#logs.values()].filter((tracked) => tracked.state === state).map(({ container }) => container);
  }

  #getProblem(): LogUnavailable | undefined {
    if (this.#failure) return this.#failure;
    const { services, engine } = this.#options;
    const [unreadable] = this.#listContainersIn('unreadable');
    const isFollowing = this.#listFollowedServices().length > 0;
    if (isFollowing && !(services && unreadable)) return undefined;
    if (unreadable) return createLogUnavailable('LOG_DRIVER_UNREADABLE', { container: unreadable.name });
    const serviceNames = services
      ? ` of ${services.length > 1 ? 'the services' : 'the service'} ${services.join(', ')}`
      : '';
    return createLogUnavailable('LOG_CONTAINERS_ABSENT', { project: engine.project, services: serviceNames });
  }
}
