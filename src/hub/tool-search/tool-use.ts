/** Which tools a person has used in a hub, from the audit: calls are not counted a second time. */
import type { Clock } from '../../environment/clock.ts';
import type { HubPrincipal } from '../access/principal.ts';

/** The server's own name of a tool, as the audit has it. */
export type UsedTool = { readonly connection: string | null; readonly tool: string | null };

/** The newest calls of one person in one hub. */
export type ListRecentCalls = (hubId: string, personId: string) => Promise<readonly UsedTool[]>;

type CachedUse = { readonly readAtMs: number; readonly counts: Promise<ReadonlyMap<string, number>> };

const maxAgeMs = 60_000;
const maxPeople = 1000;
const noUse: ReadonlyMap<string, number> = new Map();

type ToolUseDependencies = {
  readonly listRecentCalls: ListRecentCalls | undefined;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly onError: (error: unknown) => void;
};

export class ToolUse {
  readonly #dependencies: ToolUseDependencies;
  readonly #cache = new Map<string, CachedUse>();

  constructor(dependencies: ToolUseDependencies) {
    this.#dependencies = dependencies;
  }

  /** Calls by {@link getUseKey}; at most a minute old. Empty if the audit cannot be read, because a search works without it. */
  count({ hub, person }: Pick<HubPrincipal, 'hub' | 'person'>): Promise<ReadonlyMap<string, number>> {
    const { listRecentCalls, clock, onError } = this.#dependencies;
    if (!listRecentCalls) return Promise.resolve(noUse);
    const key = JSON.stringify([hub.id, person.personId]);
    const nowMs = clock.monotonicMs();
    const cached = this.#cache.get(key);
    if (cached && nowMs - cached.readAtMs < maxAgeMs) return cached.counts;
    const counts = listRecentCalls(hub.id, person.personId)
      .then(countCalls)
      .catch((error: unknown) => {
        onError(error);
        return noUse;
      });
    this.#cache.delete(key);
    this.#cache.set(key, { readAtMs: nowMs, counts });
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > maxPeople && oldest !== undefined) this.#cache.delete(oldest);
    return counts;
  }
}

export function getUseKey(connection: string, tool: string): string {
  return JSON.stringify([connection, tool]);
}

function countCalls(calls: readonly UsedTool[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { connection, tool } of calls) {
    if (connection === null || tool === null) continue;
    const key = getUseKey(connection, tool);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
