/** The connection of a replica's election: one user at a time, opened again after every error. */
import type { Clock } from '../../environment/clock.ts';
import type { ElectionSession } from '../../store/postgres/election-session.ts';
import { withTimeout } from '../../timing/timeout.ts';

/** `lockPid` is set when the session lock was taken on it. */
export type OpenSession = { readonly session: ElectionSession; lockPid?: number };

export type ElectionConnectionOptions = {
  readonly connect: () => Promise<ElectionSession>;
  readonly clock: Pick<Clock, 'after'>;
  /** Longest use; the connection is closed after it. */
  readonly stepMs: number;
};

export class ElectionConnection {
  readonly #options: ElectionConnectionOptions;
  #open: OpenSession | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  onEvent = (): void => {};

  constructor(options: ElectionConnectionOptions) {
    this.#options = options;
  }

  /** Rejects with what `work` or the connection rejects with. */
  run<T>(work: (open: OpenSession) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#run(work));
    this.#last = result.catch(() => undefined);
    return result;
  }

  async close(): Promise<void> {
    await this.#last;
    this.#isClosed = true;
    await this.#drop();
  }

  async #run<T>(work: (open: OpenSession) => Promise<T>): Promise<T> {
    const { clock, stepMs: timeoutMs } = this.#options;
    try {
      return await withTimeout({ clock, timeoutMs }, async (signal) => work(await this.#getOpen(signal)));
    } catch (error) {
      await this.#drop();
      throw error;
    }
  }

  async #getOpen(signal: AbortSignal): Promise<OpenSession> {
    if (this.#isClosed) throw new Error('the connection of the election is closed');
    if (this.#open) return this.#open;
    const open: OpenSession = { session: await this.#options.connect() };
    // It came too late.
    if (signal.aborted) void open.session.close().catch(() => undefined);
    signal.throwIfAborted();
    this.#open = open;
    open.session.onEvent(() => {
      if (this.#open === open) this.onEvent();
    });
    return open;
  }

  /** Does not wait for the server, which may not answer. */
  async #drop(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    const { clock, stepMs: timeoutMs } = this.#options;
    if (open) await withTimeout({ clock, timeoutMs }, () => open.session.close()).catch(() => undefined);
  }
}
