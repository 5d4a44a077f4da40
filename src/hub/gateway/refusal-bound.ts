/**
 * Bounds the rows of refused calls, which no limit of a policy bounds: the audit has a size, and they would displace the rows of calls
 * that were sent. Refusals beyond the bound are counted in one row, and their caller has to wait. Calls whose server could not be
 * reached are bounded in the same way, but hold up nobody: the caller's other servers may be well.
 */

import type { Clock } from '../../environment/clock.ts';
import type { HubPrincipal, HubRefusal } from '../access/principal.ts';
import { createRefusedCallsRefusal } from '../access/refusals.ts';
import type { AuditEntry, AuditSink } from '../audit/audit-entry.ts';
import { digestOnly } from '../policy/call-policy.ts';

export type RefusalBoundDependencies = {
  readonly audit: AuditSink;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs' | 'after'>;
  /** Called if the row that counts refusals could not be written. */
  readonly onError: (error: unknown) => void;
};

type RefusalKind = 'refused' | 'unreachable';

/** `endMs` is monotonic. */
type Window = {
  rows: number;
  withoutRow: number;
  readonly kind: RefusalKind;
  readonly principal: HubPrincipal;
  readonly endMs: number;
  cancel: () => void;
};

/** Rows of a kind of a person in a hub per window. */
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
      ready: audit.ready && ((createEntry) => audit.ready?.(createEntry)),
      recordIntent: audit.recordIntent && (async (entry) => audit.recordIntent?.(entry)),
      prepare: audit.prepare && ((call) => audit.prepare?.(call)),
      record: (entry) => {
        const kind = findKind(entry);
        return kind ? this.#recordBounded(entry, kind) : audit.record(entry);
      },
    };
  }

  /** The refusal of calls of somebody who has no rows left; they are counted. */
  findRefusal(principal: HubPrincipal, countCalls: () => number): HubRefusal | undefined {
    const window = this.#windows.size === 0 ? undefined : this.#windows.get(toKey(principal, 'refused'));
    if (!window || window.rows < maxRows) return undefined;
    const calls = countCalls();
    if (calls === 0) return undefined;
    window.withoutRow += calls;
    return createRefusedCallsRefusal(
      Math.max(1, Math.ceil((window.endMs - this.#dependencies.clock.monotonicMs()) / 1000)),
    );
  }

  /** Writes the counts of refusals without rows. */
  async close(): Promise<void> {
    await Promise.all([...this.#windows.keys()].map((key) => this.#end(key)));
  }

  async #recordBounded(entry: AuditEntry, kind: RefusalKind): Promise<void> {
    const key = toKey(entry.principal, kind);
    const window = this.#windows.get(key) ?? this.#open(key, kind, entry.principal);
    if (window.rows >= maxRows) {
      window.withoutRow += 1;
      return;
    }
    window.rows += 1;
    await this.#dependencies.audit.record(entry);
  }

  #open(key: string, kind: RefusalKind, principal: HubPrincipal): Window {
    const { clock, onError } = this.#dependencies;
    const cancel = clock.after(windowMs, () => void this.#end(key).catch(onError));
    const window = { rows: 0, withoutRow: 0, kind, principal, endMs: clock.monotonicMs() + windowMs, cancel };
    this.#windows.set(key, window);
    return window;
  }

  async #end(key: string): Promise<void> {
    const window = this.#windows.get(key);
    if (!window) return;
    window.cancel();
    this.#windows.delete(key);
    if (window.withoutRow > 0) await this.#dependencies.audit.record(this.#toSummary(window));
  }

  #toSummary({ principal, kind, withoutRow }: Window): AuditEntry {
    const what = kind === 'refused' ? 'calls were refused' : 'calls found their server unreachable';
    return {
      atMs: this.#dependencies.clock.nowMs(),
      principal,
      method: kind === 'refused' ? 'refused calls' : 'unreachable calls',
      connection: undefined,
      tool: undefined,
      arguments: undefined,
      redact: digestOnly,
      outcome: kind === 'refused' ? 'denied' : 'failed',
      reason: `${withoutRow} more ${what} within a minute, beyond the ${maxRows} that have rows`,
      durationMs: 0,
      requestBytes: 0,
      responseBytes: 0,
      counts: 'nothing',
    };
  }
}

/** Also of calls that failed before their connection was known; undefined for all others. */
function findKind({ outcome, connection, reason }: AuditEntry): RefusalKind | undefined {
  if (outcome === 'denied') return 'refused';
  if (outcome !== 'failed' || connection !== undefined) return undefined;
  return reason?.startsWith('UPSTREAM_') ? 'unreachable' : 'refused';
}

function toKey({ hub, person }: HubPrincipal, kind: RefusalKind): string {
  return `${kind} ${hub.id} ${person.personId}`;
}
