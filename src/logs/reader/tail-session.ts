/** One caller of the log reader: the logs of the project's containers, those that start later too. */
import type { Clock } from '../../environment/clock.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { LogTrouble } from '../log-source.ts';
import { lineMessage, readerBeatMs, resumeWindowMs, stateMessage } from '../reader-messages.ts';
import { troubleFrom, troubleOf } from '../trouble.ts';
import { ContainerLog } from './container-log.ts';
import { type Container, containersOf } from './containers.ts';
import { askEngine, type Engine } from './engine-request.ts';

/** `services`, `afterMs`: see `TailQuery`. `write` resolves when more may be written. */
export type TailOptions = {
  readonly engine: Engine;
  readonly services: readonly string[] | undefined;
  readonly afterMs?: number | undefined;
  readonly clock: Clock;
  readonly write: (text: string) => Promise<void>;
  readonly signal: AbortSignal;
};

type Followed = {
  readonly container: Container;
  readonly log: ContainerLog;
  state: 'idle' | 'following' | 'unreadable';
};

/** A container that ends at once is not asked for without a pause. */
const shortestPauseMs = 200;
/** The engine is looked at so often where it says nothing by itself. */
const lookMs = 5000;

/** Tails until `signal` aborts; then it resolves. Rejects with LOG_ENGINE_UNREACHABLE. */
export async function tail(options: TailOptions): Promise<void> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  if (options.signal.aborted) return;
  options.signal.addEventListener('abort', end, { once: true });
  try {
    await new TailSession({ ...options, signal: ended.signal }).run();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  } finally {
    options.signal.removeEventListener('abort', end);
    end();
  }
}

class TailSession {
  readonly #options: TailOptions;
  readonly #afterMs: number | undefined;
  readonly #logs = new Map<string, Followed>();
  #isFirstLook = true;
  #fault: LogTrouble | undefined;
  #look = (): void => {};
  #isLookDue = false;

  constructor(options: TailOptions) {
    this.#options = options;
    const { afterMs, clock } = options;
    this.#afterMs = afterMs && Math.max(afterMs, clock.nowMs() - resumeWindowMs);
  }

  async run(): Promise<void> {
    const { write, signal, clock } = this.#options;
    const starts = this.#heedStarts();
    while (!signal.aborted) {
      this.#isLookDue = false;
      await this.#attend();
      const lookedMs = clock.monotonicMs();
      do {
        await write(stateMessage({ services: this.#following(), trouble: this.#trouble() ?? null }));
        await clock.sleep(shortestPauseMs, signal);
        await this.#pause(readerBeatMs - shortestPauseMs);
      } while (!this.#isLookDue && !signal.aborted && clock.monotonicMs() - lookedMs < lookMs);
    }
    await starts;
  }

  async #attend(): Promise<void> {
    const { engine, services, signal } = this.#options;
    try {
      const all = await containersOf(engine, signal);
      this.#fault = undefined;
      const wanted = all.filter(({ service }) => services?.includes(service) ?? true);
      const ids = new Set(wanted.map(({ id }) => id));
      for (const id of [...this.#logs.keys()]) if (!ids.has(id)) this.#logs.delete(id);
      await Promise.all(wanted.map((container) => this.#attendTo(container)));
      this.#isFirstLook = false;
    } catch (error) {
      this.#bear(error);
    }
  }

  /**
   * What was there before this session begins at its present end, or after the moment that was asked for; what comes later
   * is read whole, even if it has ended.
   */
  async #attendTo(container: Container): Promise<void> {
    const { engine, signal } = this.#options;
    const known = this.#logs.get(container.id);
    const followed = known ?? { container, log: new ContainerLog(engine, container), state: 'idle' };
    const afterMs = this.#afterMs;
    if (!known && this.#isFirstLook) {
      if (afterMs === undefined) await followed.log.skipHistory(signal);
      else followed.log.skipBefore(afterMs);
    }
    this.#logs.set(container.id, followed);
    const isNews = !known && (afterMs !== undefined || !this.#isFirstLook);
    if (followed.state === 'idle' && (container.isRunning || isNews)) void this.#follow(followed);
  }

  /** Never rejects: why a log broke off is seen at the next look. */
  async #follow(followed: Followed): Promise<void> {
    const { write, signal } = this.#options;
    const { service, id } = followed.container;
    const container = id.slice(0, 12);
    followed.state = 'following';
    try {
      const end = await followed.log.follow(
        (lines) => write(lines.map((line) => lineMessage({ service, container, ...line })).join('')),
        signal,
      );
      followed.state = end === 'unreadable' ? 'unreadable' : 'idle';
    } catch {
      followed.state = 'idle';
    }
    this.#lookSoon();
  }

  /** The engine says at once when a container starts; where it does not, the next look finds it. */
  async #heedStarts(): Promise<void> {
    const { clock, signal } = this.#options;
    while (!signal.aborted) {
      await this.#heedUntilBroken().catch(() => undefined);
      await clock.sleep(readerBeatMs, signal).catch(() => undefined);
    }
  }

  async #heedUntilBroken(): Promise<void> {
    const { engine, signal } = this.#options;
    const answer = await askEngine(engine, { kind: 'starts' }, signal);
    if (answer.statusCode !== 200) return void answer.destroy();
    try {
      for await (const _ of answer) this.#lookSoon();
    } finally {
      this.#lookSoon(); // The engine may have gone.
    }
  }

  /** An engine that is away for good ends the session; any other fault may pass. */
  #bear(error: unknown): void {
    if (this.#options.signal.aborted) throw error;
    if (error instanceof VpError && error.code !== 'LOG_ENGINE_FAULT') throw error;
    const answer = error instanceof Error ? error.message : String(error);
    this.#fault =
      error instanceof VpError
        ? troubleFrom(error)
        : troubleOf('LOG_ENGINE_FAULT', { asked: 'the list of containers', answer });
  }

  #following(): string[] {
    const services = this.#in('following').map(({ service }) => service);
    return [...new Set(services)].sort();
  }

  #in(state: Followed['state']): Container[] {
    return [...this.#logs.values()].filter((one) => one.state === state).map(({ container }) => container);
  }

  #trouble(): LogTrouble | undefined {
    if (this.#fault) return this.#fault;
    const { services, engine } = this.#options;
    const [unreadable] = this.#in('unreadable');
    const isSeeing = this.#following().length > 0;
    if (isSeeing && !(services && unreadable)) return undefined;
    if (unreadable) return troubleOf('LOG_DRIVER_UNREADABLE', { container: unreadable.name });
    const named = services ? ` of ${services.length > 1 ? 'the services' : 'the service'} ${services.join(', ')}` : '';
    return troubleOf('LOG_CONTAINERS_ABSENT', { project: engine.project, services: named });
  }

  #lookSoon(): void {
    this.#isLookDue = true;
    this.#look();
  }

  async #pause(ms: number): Promise<void> {
    const { clock, signal } = this.#options;
    if (this.#isLookDue || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        cancel();
        signal.removeEventListener('abort', go);
        resolve();
      };
      const cancel = clock.after(ms, go);
      signal.addEventListener('abort', go);
      this.#look = go;
    });
  }
}
