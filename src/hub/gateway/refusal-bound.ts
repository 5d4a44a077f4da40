/**
 * Bounds the rows of refused calls, which no limit of a policy bounds: the audit has a size, and they would displace the rows of calls
 * that were sent. Refusals beyond the bound are counted in one row.
 */
import type { Clock } from '../../environment/clock.ts';
import { createRefusedCallsRefusal } from '../access/refusals.ts';
import type { AuditEntry, AuditSink, HubPrincipal, HubRefusal } from '../types.ts';

export type RefusalBoundDependencies = {
  readonly audit: AuditSink;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'after'>;
  /** Called if the row that counts refusals could not be written. */
  readonly onError: (error: unknown) => void;
};

/** `endMs` is monotonic. */
type Window = {
  rows: number;
  uncounted: number;
  readonly principal: HubPrincipal;
  readonly endMs: number;
  cancel: () => void;
};

/** Rows of a person in a hub per window. */
const maxRows = 1200;
const windowMs = 60_000;

export class RefusalBound {
  readonly #dependencies: RefusalBoundDependencies;
  readonly #windows = new Map<string, Window>();
  /** Records entries like the given sink, and bounds those of refusals. */
  readonly audit: AuditSink;

  constructor(dependencies: RefusalBoundDependencies) {
    const { audit } = dependencies;
    this.#dependencies = dependencies;
    this.audit = {
      ready: audit.ready && ((entry) => audit.ready?.(entry)),
      recordIntent: audit.recordIntent && (async (entry) => audit.recordIntent?.(entry)),
      record: (entry) => (isRefused(entry) ? this.#recordRefused(entry) : audit.record(entry)),
    };
  }

  /** The refusal of calls of somebody who has no rows left; they are counted. */
  findRefusal(principal: HubPrincipal, countCalls: () => number): HubRefusal | undefined {
    const window = this.#windows.size === 0 ? undefined : this.#windows.get(toKey(principal));
    if (!window || window.rows < maxRows) return undefined;
    const calls = countCalls();
    if (calls === 0) return undefined;
    window.uncounted += calls;
    return createRefusedCallsRefusal(
      Math.max(1, Math.ceil((window.endMs - this.#dependencies.clock.monotonicMs()) / 1000)),
    );
  }

  /** Writes the counts of refusals without rows. */
  async close(): Promise<void> {
    await Promise.all([...this.#windows.keys()].map((key) => this.#end(key)));
  }

  async #recordRefused(entry: AuditEntry): Promise<void> {
    const key = toKey(entry.principal);
    const window = this.#windows.get(key) ?? this.#open(key, entry.principal);
    if (window.rows >= maxRows) {
      window.uncounted += 1;
      return;
    }
    window.rows += 1;
    await this.#dependencies.audit.record(entry);
  }

  #open(key: string, principal: HubPrincipal): Window {
    const { clock, onError } = this.#dependencies;
    const cancel = clock.after(windowMs, () => void this.#end(key).catch(onError));
    const window = { rows: 0, uncounted: 0, principal, endMs: clock.monotonicMs() + windowMs, cancel };
    this.#windows.set(key, window);
    return window;
  }

  async #end(key: string): Promise<void> {
    const window = this.#windows.get(key);
    if (!window) return;
    window.cancel();
    this.#windows.delete(key);
    if (window.uncounted > 0) await this.#dependencies.audit.record(this.#toSummary(window));
  }

  #toSummary({ principal, uncounted }: Window): AuditEntry {
    return {
      atMs: this.#dependencies.clock.nowMs(),
      principal,
      method: 'refused calls',
      connection: undefined,
      tool: undefined,
      arguments: undefined,
      redact: { keep: false, hide: [] },
      outcome: 'denied',
      reason: `${uncounted} more calls were refused within a minute, beyond the ${maxRows} that have rows`,
      durationMs: 0,
      requestBytes: 0,
      responseBytes: 0,
      counts: 'nothing',
    };
  }
}

/** Also calls that failed before their connection was known. */
function isRefused({ outcome, connection }: AuditEntry): boolean {
  return outcome === 'denied' || (outcome === 'failed' && connection === undefined);
}

function toKey({ hub, person }: HubPrincipal): string {
  return `${hub.id} ${person.personId}`;
}
