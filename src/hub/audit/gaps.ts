/** What was not written while rows could not be. */
import type { AuditEntry } from '../words.ts';

type Gap = { readonly entry: AuditEntry; lost: number; refused: number };

/** Calls of each hub, counted, of `mostHubs` at most. */
export class Gaps {
  readonly #mostHubs: number;
  readonly #gaps = new Map<string, Gap>();

  constructor(mostHubs: number) {
    this.#mostHubs = mostHubs;
  }

  note(entry: AuditEntry, what: 'lost' | 'refused'): void {
    const { id } = entry.principal.hub;
    const gap = this.#gaps.get(id) ?? { entry, lost: 0, refused: 0 };
    if (this.#gaps.size >= this.#mostHubs && !this.#gaps.has(id)) return;
    gap[what] += 1;
    this.#gaps.set(id, gap);
  }

  /** A row for each hub that says so. */
  entries(nowMs: number): AuditEntry[] {
    return [...this.#gaps.values()].map((gap) => gapEntry(gap, nowMs));
  }

  clear(): void {
    this.#gaps.clear();
  }
}

/** `entry` is the first such call. */
function gapEntry({ entry, lost, refused }: Gap, nowMs: number): AuditEntry {
  const { hub } = entry.principal;
  const since = new Date(entry.atMs).toISOString();
  return {
    atMs: nowMs,
    principal: {
      hub,
      person: { personId: '', name: 'vp' },
      role: 'owner',
      via: { kind: 'console' },
      client: undefined,
    },
    method: 'audit/gap',
    connection: undefined,
    tool: undefined,
    arguments: undefined,
    redact: { keep: false, hide: [] },
    outcome: 'failed',
    reason: `the audit could not be written since ${since}: ${refused} calls were refused, ${lost} went out without a row`,
    durationMs: Math.max(0, nowMs - entry.atMs),
    requestBytes: 0,
    answerBytes: 0,
  };
}
