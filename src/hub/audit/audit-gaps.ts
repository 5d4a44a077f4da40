/** Counts calls that were not recorded while the audit could not be written. */
import type { AuditEntry } from './audit-entry.ts';
import { createSystemEntry } from './system-entry.ts';

type Gap = { readonly entry: AuditEntry; lost: number; refused: number };

/** Counts per hub, for at most `maxHubs` hubs. */
export class AuditGaps {
  readonly #maxHubs: number;
  readonly #gaps = new Map<string, Gap>();

  constructor(maxHubs: number) {
    this.#maxHubs = maxHubs;
  }

  record(entry: AuditEntry, kind: 'lost' | 'refused'): void {
    const { id } = entry.principal.hub;
    const gap = this.#gaps.get(id) ?? { entry, lost: 0, refused: 0 };
    if (this.#gaps.size >= this.#maxHubs && !this.#gaps.has(id)) return;
    gap[kind] += 1;
    this.#gaps.set(id, gap);
  }

  /** One entry for each hub with a gap. */
  entries(nowMs: number): AuditEntry[] {
    return [...this.#gaps.values()].map((gap) => toGapEntry(gap, nowMs));
  }

  clear(): void {
    this.#gaps.clear();
  }
}

/** `entry` is the first call of the gap. */
function toGapEntry({ entry, lost, refused }: Gap, nowMs: number): AuditEntry {
  const { hub } = entry.principal;
  const since = new Date(entry.atMs).toISOString();
  return createSystemEntry(hub, {
    atMs: nowMs,
    method: 'audit/gap',
    reason: `the audit could not be written since ${since}: ${refused} calls were refused, ${lost} were sent without a row`,
    durationMs: Math.max(0, nowMs - entry.atMs),
  });
}
