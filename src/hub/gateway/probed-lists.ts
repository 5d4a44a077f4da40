/** What a probe of a stored connection has read is what the hub knows of it from then on. */
import { isDeepStrictEqual } from 'node:util';
import type { ItemKind } from '../connections/connection.ts';
import type { ChangedList } from '../upstream/changes.ts';
import type { CachedList, ListState } from '../upstream/lists/cached-list.ts';
import type { UpstreamLists } from '../upstream/lists/upstream-lists.ts';
import type { UpstreamPool } from '../upstream/upstream-pool.ts';
import type { UpstreamServer } from '../upstream/upstream-server.ts';
import type { GatewayOptions } from './gateway-options.ts';

type ProbedKind = {
  readonly kind: ItemKind;
  readonly changedList: ChangedList;
  readonly select: (lists: UpstreamLists) => Pick<CachedList<unknown>, 'state'>;
};

const probedKinds = [
  { kind: 'tool', changedList: 'tools', select: ({ tools }) => tools },
  { kind: 'prompt', changedList: 'prompts', select: ({ prompts }) => prompts },
  { kind: 'resource', changedList: 'resources', select: ({ resources }) => resources },
  { kind: 'template', changedList: 'resources', select: ({ templates }) => templates },
] as const satisfies readonly ProbedKind[];

/**
 * Pins the lists, so that a changed definition waits for an owner, and invalidates those of the open server of the connection that
 * differ: with personal sign-ins that of the person who probed, as a server may list other things to others. The lists of a failed
 * probe may be missing, and are left as they are.
 */
export async function recordProbedLists(
  { policy, upstreams }: { readonly policy: GatewayOptions['policy']; readonly upstreams: Pick<UpstreamPool, 'find'> },
  { connection, lists }: Pick<UpstreamServer, 'connection' | 'lists'>,
  personId: string,
): Promise<void> {
  for (const { kind, select } of probedKinds) {
    const { items, problem } = select(lists).state;
    if (items && !problem) await policy.pinItems?.(connection, kind, items);
  }
  const upstream = upstreams.find(connection, personId);
  if (!upstream) return;
  for (const changedList of listDifferences(lists, upstream.lists)) upstream.invalidateList(changedList);
}

function listDifferences(probed: UpstreamLists, cached: UpstreamLists): ReadonlySet<ChangedList> {
  const changed = probedKinds.filter(({ select }) => differs(select(probed).state, select(cached).state));
  return new Set(changed.map(({ changedList }) => changedList));
}

/** A list that was never read is read by the next reader anyway. */
function differs(probed: ListState<unknown>, cached: ListState<unknown>): boolean {
  if (!probed.items || probed.problem) return false;
  if (cached.problem) return true;
  return cached.items !== undefined && !isDeepStrictEqual(cached.items, probed.items);
}
