/** Finds what the secret of a page shows. Results are cached for a few seconds, so that a flood of readers costs one of them. */
import type { PublicStatus } from '../../contract/status-pages-api.ts';
import { hashBearer } from '../../secrets/bearer.ts';
import {
  findStatusPageByHash,
  type StatusPageRow,
  saveStatusPageView,
} from '../../store/control/status-pages/status-pages.ts';
import type { ControlRuntime } from '../runtime.ts';
import { toPublicStatus } from './public-status.ts';
import { readStatusScenarios } from './read-status.ts';

const cachedMs = 5_000;
/** A view is stored when the last one is older. */
const viewIntervalMs = 600_000;
/** Beyond that the cache is emptied. */
const maxCached = 500;
/** 256 bits. */
const secretPattern = /^[A-Za-z0-9_-]{43}$/;

type CachedStatus = {
  readonly result: Promise<PublicStatus>;
  readonly untilMs: number;
  readonly freshUntilMs: number;
};

export type StatusReader = {
  find(secret: string): Promise<PublicStatus | undefined>;
  /** After a page was changed or revoked. */
  clear(): void;
};

export function hashStatusSecret({ keyring }: ControlRuntime['context'], secret: string): string {
  return hashBearer(`status ${secret}`, keyring.tokenHashKey);
}

export function createStatusReader(
  { context, keyChanges }: Pick<ControlRuntime, 'context' | 'keyChanges'>,
  onError: (error: unknown) => void,
): StatusReader {
  const { database } = context.store;
  const { clock } = context;
  const cache = new Map<string, CachedStatus>();
  let generation = 0;
  const clear = (): void => {
    generation += 1;
    cache.clear();
  };
  // An instance that is removed takes its pages with it.
  keyChanges.onChange((ended) => ended?.by === 'removal of its instance' && clear());

  function recordView({ id, last_viewed_at_ms: viewedAtMs }: StatusPageRow, nowMs: number): void {
    if (viewedAtMs !== null && nowMs - viewedAtMs < viewIntervalMs) return;
    void database.write((sql) => saveStatusPageView(sql, id, nowMs)).catch(onError);
  }

  async function readStatus(page: StatusPageRow, nowMs: number): Promise<PublicStatus> {
    recordView(page, nowMs);
    return toPublicStatus(page, await readStatusScenarios(database, page, nowMs), nowMs);
  }

  return {
    clear,
    async find(secret) {
      if (!secretPattern.test(secret)) return undefined;
      const hash = hashStatusSecret(context, secret);
      const nowMs = clock.nowMs();
      const cached = cache.get(hash);
      if (cached && clock.monotonicMs() < cached.freshUntilMs)
        return nowMs < cached.untilMs ? cached.result : undefined;
      const initialGeneration = generation;
      const page = await database.read((sql) => findStatusPageByHash(sql, hash, nowMs));
      // Revoked or changed during the read: the next reader looks again.
      if (!page || generation !== initialGeneration) return page && readStatus(page, nowMs);
      return share(hash, page, nowMs);
    },
  };

  /** Readers that come while it is computed wait for the same result. */
  async function share(hash: string, page: StatusPageRow, nowMs: number): Promise<PublicStatus | undefined> {
    const present = cache.get(hash);
    if (present && clock.monotonicMs() < present.freshUntilMs) return present.result;
    const result = readStatus(page, nowMs);
    if (cache.size >= maxCached) cache.clear();
    const entry = { result, untilMs: page.until_ms, freshUntilMs: clock.monotonicMs() + cachedMs };
    cache.set(hash, entry);
    result.catch(() => {
      if (cache.get(hash) === entry) cache.delete(hash);
    });
    return result;
  }
}
