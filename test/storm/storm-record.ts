/** What happened in a storm: the histories that are checked, what arrived at the target, and counts. */
import type { Operation } from './history/linearizability.ts';
import type { AuditedCallInput, AuditedCallOutput, QueueInput, QueueOutput } from './history/models.ts';

export type QueueOperation = Operation<QueueInput, QueueOutput>;
export type KeyOperation = Operation<{ readonly count: number }, readonly string[]>;
export type CallOperation = Operation<AuditedCallInput, AuditedCallOutput>;

/** A fault that the storm caused, and how often. */
export type StormCounts = Record<
  | 'kills'
  | 'freezes'
  | 'folders back'
  | 'disks full'
  | 'rivals'
  | 'audits verified'
  | 'requests'
  | 'calls'
  | 'answered calls',
  number
>;

export class StormRecord {
  readonly counts: StormCounts = {
    kills: 0,
    freezes: 0,
    'folders back': 0,
    'disks full': 0,
    rivals: 0,
    'audits verified': 0,
    requests: 0,
    calls: 0,
    'answered calls': 0,
  };
  /** By instance, by idempotency key and by the nonce of a call. */
  readonly queues = new Map<string, QueueOperation[]>();
  readonly keys = new Map<string, KeyOperation[]>();
  readonly calls = new Map<string, CallOperation[]>();
  /** Runs whose request was answered. */
  readonly acknowledged = new Map<string, { readonly instance: string; readonly correlationId: string }>();
  readonly cancelled = new Set<string>();
  /** Results of reports that the control plane accepted. */
  readonly reports = new Map<string, string>();
  /** Correlation ids in the order in which their requests reached the target. */
  readonly arrivals: string[] = [];
  /** Nonces of calls in the order in which they reached the server behind the hub. */
  readonly upstreamCalls: string[] = [];
  /** What was wrong while the storm went on. */
  readonly problems: string[] = [];
  readonly #startMs = performance.now();

  elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  addProblem(text: string): void {
    this.problems.push(`${(this.elapsedMs() / 1000).toFixed(1)} s: ${text}`);
  }

  add<T>(histories: Map<string, T[]>, partition: string, operation: T): void {
    const history = histories.get(partition);
    if (history) history.push(operation);
    else histories.set(partition, [operation]);
  }

  /** Everything as lines of JSON, for a storm that failed. */
  *lines(): Generator<string> {
    for (const [kind, histories] of Object.entries({ queue: this.queues, key: this.keys, call: this.calls })) {
      for (const [partition, history] of histories)
        for (const operation of history) yield `${JSON.stringify({ kind, partition, ...operation })}\n`;
    }
    yield `${JSON.stringify({ kind: 'arrivals', arrivals: this.arrivals })}\n`;
    yield `${JSON.stringify({ kind: 'reports', reports: [...this.reports] })}\n`;
  }
}
