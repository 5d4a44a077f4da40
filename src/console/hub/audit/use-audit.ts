import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { pause } from '../../../client/transport/pause.ts';
import type { AuditCall, AuditQuery } from '../../../contract/hubs/audit-api.ts';
import { useClient } from '../../session/client.ts';
import { matchesAuditQuery } from './audit-query.ts';

/** Newest first, a page at a time. */
export function useAuditCalls(hub: string, query: AuditQuery) {
  const { hubAudit } = useClient();
  return useInfiniteQuery({
    queryKey: ['hub-audit', hub, query],
    queryFn: ({ pageParam, signal }) => hubAudit.search(hub, { ...query, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

const retryDelayMs = 3_000;
const maxRetained = 500;

/** Calls recorded while `isFollowing`, newest first. `isLive` is false while the stream is disconnected. */
export function useAuditTail(
  hub: string,
  query: AuditQuery,
  isFollowing: boolean,
): { newCalls: readonly AuditCall[]; isLive: boolean } {
  const { hubAudit } = useClient();
  const [newCalls, setNewCalls] = useState<readonly AuditCall[]>([]);
  const [isLive, setLive] = useState(false);
  const queries = useQueryClient();
  const queryRef = useRef(query);
  useEffect(() => {
    queryRef.current = query;
    setNewCalls([]);
  }, [query]);
  useEffect(() => {
    if (!isFollowing) return;
    const controller = new AbortController();
    const { signal } = controller;
    const onConnected = (): void => {
      setLive(true);
      // The stream has no calls from before it connected.
      void queries.invalidateQueries({ queryKey: ['hub-audit', hub] });
    };
    const follow = async (): Promise<void> => {
      for await (const call of hubAudit.tail(hub, { signal, onConnected })) {
        if (matchesAuditQuery(call, queryRef.current))
          setNewCalls((previous) => [call, ...previous].slice(0, maxRetained));
      }
    };
    const followUntilAborted = async (): Promise<void> => {
      while (!signal.aborted) {
        await follow().catch(() => undefined);
        if (signal.aborted) return;
        setLive(false);
        await pause(retryDelayMs, signal);
      }
    };
    void followUntilAborted().catch(() => undefined);
    return () => {
      controller.abort();
      setLive(false);
    };
  }, [hubAudit, queries, hub, isFollowing]);
  return { newCalls, isLive };
}
