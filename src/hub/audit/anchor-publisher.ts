/** Publishes statements about the audit at an interval to places outside of its file. */
import type { Clock } from '../../environment/clock.ts';
import type { AuditEnd } from '../../store/audit/chains.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import { TimeLimitError } from '../../timing/timeout.ts';
import { type AnchorLimits, type AnchorStatement, createStatement } from './anchor-statement.ts';
import type { AnchorKey } from './signing/anchor-key.ts';

export type AnchorTarget = {
  /** For people; without secrets. */
  readonly name: string;
  /** Resolves when the statement is safe there. */
  send(statement: AnchorStatement): Promise<void>;
};

/** Has statements time-stamped. */
export type AnchorStamper = {
  /** For people; without secrets. */
  readonly name: string;
  /** Resolves with the verified time stamp, in base64. */
  stamp(statement: AnchorStatement): Promise<string>;
};

export type AnchorPublisherOptions = {
  readonly readEnds: () => Promise<readonly AuditEnd[]>;
  /** The size of the audit. */
  readonly readUsedBytes: () => Promise<number>;
  readonly targets: readonly AnchorTarget[];
  readonly key: AnchorKey | undefined;
  /** While it fails, statements are published without a time stamp. */
  readonly stamper?: AnchorStamper | undefined;
  readonly limits: AnchorLimits;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'after'>;
  readonly intervalMs: number;
  /** Called when a target, the key or the time stamps begin to fail, and with undefined when they work again. */
  readonly onTargetState: (target: string, error: unknown) => void;
};

/** An audit without new entries is confirmed this often. */
const confirmIntervalMs = 3_600_000;
const maxClosingStampMs = 2000;

/** `isStamped` is false if the last statement lacks the time stamp that it should have. */
type TargetState = { lastChains: string; sentAtMs: number; isStamped: boolean; isFailing: boolean };
type NamedTarget = readonly [AnchorTarget, TargetState];

export class AnchorPublisher {
  readonly #options: AnchorPublisherOptions;
  readonly #states: readonly NamedTarget[];
  readonly #stamping = { isFailing: false };
  readonly #stop: () => void;
  readonly #stampEnd = Promise.withResolvers<never>();
  #publishing: Promise<void> = Promise.resolve();
  #isClosing = false;

  constructor(options: AnchorPublisherOptions) {
    const { clock, intervalMs, targets } = options;
    this.#options = options;
    this.#stampEnd.promise.catch(() => undefined);
    this.#states = targets.map((target) => [
      target,
      { lastChains: '', sentAtMs: 0, isStamped: true, isFailing: false },
    ]);
    this.#stop = repeatEvery(clock, intervalMs, () => this.publish());
  }

  /** Never rejects: a target that fails is tried again with the next statement, which contains all of this one. */
  publish(): Promise<void> {
    this.#publishing = this.#publishing.then(() => this.#publish());
    return this.#publishing;
  }

  /** Publishes the last ends; without a time stamp where its server does not answer soon. */
  async close(): Promise<void> {
    this.#stop();
    const stopTimer = this.#options.clock.after(maxClosingStampMs, () =>
      this.#stampEnd.reject(new TimeLimitError('no time stamp before the end')),
    );
    this.#isClosing = this.#options.stamper !== undefined;
    await this.publish();
    stopTimer();
  }

  async #publish(): Promise<void> {
    const { readEnds, readUsedBytes, clock, limits, key } = this.#options;
    try {
      const ends = await readEnds();
      const chains = JSON.stringify(ends.map(({ mac, ...end }) => [end, Buffer.from(mac).toString('hex')]));
      const dueTargets = ends.length === 0 ? [] : this.#states.filter(([, state]) => this.#isDue(state, chains));
      if (dueTargets.length === 0) return;
      const state = { ...limits, usedBytes: await readUsedBytes() };
      const statement = await this.#stamp(await createStatement(ends, clock.nowMs(), state, key, this.#isClosing));
      const isStamped = !this.#options.stamper || statement.time_stamp !== undefined;
      const news = dueTargets.filter(([, state]) => isStamped || this.#isNews(state, chains));
      await Promise.all(news.map((target) => this.#send(statement, target, { chains, isStamped })));
    } catch (error) {
      for (const [{ name }, state] of this.#states) this.#noteState(name, state, error);
    }
  }

  #isDue(state: TargetState, chains: string): boolean {
    return !state.isStamped || this.#isNews(state, chains);
  }

  #isNews({ lastChains, sentAtMs }: TargetState, chains: string): boolean {
    return chains !== lastChains || this.#options.clock.monotonicMs() - sentAtMs >= confirmIntervalMs;
  }

  async #stamp(statement: AnchorStatement): Promise<AnchorStatement> {
    const { stamper } = this.#options;
    if (!stamper) return statement;
    try {
      const time_stamp = await Promise.race([stamper.stamp(statement), this.#stampEnd.promise]);
      this.#noteState(stamper.name, this.#stamping, undefined);
      return { ...statement, time_stamp };
    } catch (error) {
      this.#noteState(stamper.name, this.#stamping, error);
      return statement;
    }
  }

  async #send(
    statement: AnchorStatement,
    [target, state]: NamedTarget,
    { chains, isStamped }: { readonly chains: string; readonly isStamped: boolean },
  ): Promise<void> {
    try {
      await target.send(statement);
      Object.assign(state, { lastChains: chains, sentAtMs: this.#options.clock.monotonicMs(), isStamped });
      this.#noteState(target.name, state, undefined);
    } catch (error) {
      this.#noteState(target.name, state, error);
    }
  }

  #noteState(name: string, state: { isFailing: boolean }, error: unknown): void {
    const isFailing = error !== undefined;
    if (isFailing !== state.isFailing) this.#options.onTargetState(name, error);
    state.isFailing = isFailing;
  }
}
