/** Publishes statements about the audit at an interval to places outside of its file. */
import type { Clock } from '../../environment/clock.ts';
import type { AuditEnd } from '../../store/audit/chains.ts';
import { repeatEvery } from '../../timing/repeat.ts';
import type { AnchorKey } from './anchor-key.ts';
import { type AnchorLimits, type AnchorStatement, createStatement } from './anchor-statement.ts';

export type AnchorTarget = {
  /** For people; without secrets. */
  readonly name: string;
  /** Resolves when the statement is safe there. */
  send(statement: AnchorStatement): Promise<void>;
};

export type AnchorPublisherOptions = {
  readonly readEnds: () => Promise<readonly AuditEnd[]>;
  readonly targets: readonly AnchorTarget[];
  readonly key: AnchorKey | undefined;
  readonly limits: AnchorLimits;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'after'>;
  readonly intervalMs: number;
  /** Called when a target begins to fail, and with undefined when it works again. */
  readonly onTargetState: (target: string, error: unknown) => void;
};

/** An audit without new entries is confirmed this often. */
const confirmIntervalMs = 3_600_000;

type TargetState = { lastChains: string; sentAtMs: number; isFailing: boolean };

export class AnchorPublisher {
  readonly #options: AnchorPublisherOptions;
  readonly #states: readonly (readonly [AnchorTarget, TargetState])[];
  readonly #stop: () => void;
  #publishing: Promise<void> = Promise.resolve();

  constructor(options: AnchorPublisherOptions) {
    const { clock, intervalMs, targets } = options;
    this.#options = options;
    this.#states = targets.map((target) => [target, { lastChains: '', sentAtMs: 0, isFailing: false }]);
    this.#stop = repeatEvery(clock, intervalMs, () => this.publish());
  }

  /** Never rejects: a target that fails is tried again with the next statement, which contains all of this one. */
  publish(): Promise<void> {
    this.#publishing = this.#publishing.then(() => this.#publish());
    return this.#publishing;
  }

  /** Publishes the last ends. */
  async close(): Promise<void> {
    this.#stop();
    await this.publish();
  }

  async #publish(): Promise<void> {
    const { readEnds, clock, limits, key } = this.#options;
    let statement: AnchorStatement;
    try {
      statement = createStatement(await readEnds(), clock.nowMs(), limits, key);
    } catch (error) {
      for (const [target, state] of this.#states) this.#noteState(target, state, error);
      return;
    }
    await Promise.all(this.#states.map(([target, state]) => this.#send(statement, target, state)));
  }

  async #send(statement: AnchorStatement, target: AnchorTarget, state: TargetState): Promise<void> {
    const chains = JSON.stringify(statement.chains);
    const nowMs = this.#options.clock.monotonicMs();
    if (statement.chains.length === 0) return;
    if (chains === state.lastChains && nowMs - state.sentAtMs < confirmIntervalMs) return;
    try {
      await target.send(statement);
      Object.assign(state, { lastChains: chains, sentAtMs: nowMs });
      this.#noteState(target, state, undefined);
    } catch (error) {
      this.#noteState(target, state, error);
    }
  }

  #noteState({ name }: AnchorTarget, state: TargetState, error: unknown): void {
    const isFailing = error !== undefined;
    if (isFailing !== state.isFailing) this.#options.onTargetState(name, error);
    state.isFailing = isFailing;
  }
}
