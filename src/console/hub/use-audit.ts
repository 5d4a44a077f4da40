import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { pause } from '../../client/pause.ts';
import type { AuditCall, AuditQuery } from '../../contract/hub-audit-api.ts';
import { useConnection } from '../session/connection.ts';
import { isAsked } from './audit-filter.ts';

/** Calls like that, newest first, a page at a time. */
export function useAudit(hub: string, query: AuditQuery) {
  const { hubAudit: audit } = useConnection();
  return useInfiniteQuery({
    queryKey: ['hub-audit', hub, query],
    queryFn: ({ pageParam, signal }) => audit.search(hub, { ...query, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
}

const againMs = 3_000;
const mostKept = 500;

/** Calls as they are written while `on`, newest first; `isLive` says whether they arrive. */
export function useTail(hub: string, query: AuditQuery, on: boolean): { fresh: readonly AuditCall[]; isLive: boolean } {
  const { hubAudit: audit } = useConnection();
  const [fresh, setFresh] = useState<readonly AuditCall[]>([]);
  const [isLive, setLive] = useState(false);
  const queries = useQueryClient();
  const asked = useRef(query);
  useEffect(() => {
    asked.current = query;
    setFresh([]);
  }, [query]);
  useEffect(() => {
    if (!on) return;
    const ended = new AbortController();
    const { signal } = ended;
    const onConnected = (): void => {
      setLive(true);
      // What was written before this is in no stream.
      void queries.invalidateQueries({ queryKey: ['hub-audit', hub] });
    };
    const follow = async (): Promise<void> => {
      for await (const call of audit.tail(hub, { signal, onConnected })) {
        if (isAsked(call, asked.current)) setFresh((before) => [call, ...before].slice(0, mostKept));
      }
    };
    const keepFollowing = async (): Promise<void> => {
      while (!signal.aborted) {
        await follow().catch(() => undefined);
        if (signal.aborted) return;
        setLive(false);
        await pause(againMs, signal);
      }
    };
    void keepFollowing().catch(() => undefined);
    return () => {
      ended.abort();
      setLive(false);
    };
  }, [audit, queries, hub, on]);
  return { fresh, isLive };
}
