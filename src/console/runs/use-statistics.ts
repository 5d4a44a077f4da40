import { useQuery } from '@tanstack/react-query';
import { nowMs } from '../browser.ts';
import { useConnection } from '../session/connection.ts';

const halfHourMs = 1_800_000;
const dayMs = 48 * halfHourMs;

/** Runs of an instance over the last day. Asked for from a round moment, so that all pages ask for the same. */
export function useStatistics(instance: string) {
  const { statistics } = useConnection();
  return useQuery({
    queryKey: ['statistics', instance],
    queryFn: ({ signal }) => {
      const since = Math.ceil(nowMs() / halfHourMs) * halfHourMs - dayMs;
      return statistics.get(instance, new Date(since).toISOString(), { signal });
    },
    refetchInterval: 15_000,
    staleTime: 5_000,
  });
}
