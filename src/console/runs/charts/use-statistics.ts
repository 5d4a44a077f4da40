import { useQuery } from '@tanstack/react-query';
import { nowMs } from '../../browser.ts';
import { useClient } from '../../session/client.ts';

const halfHourMs = 1_800_000;
const dayMs = 48 * halfHourMs;

/** Returns statistics of the last day. The start is aligned to half hours, so that all pages request the same period. */
export function useStatistics(instance: string) {
  const { statistics } = useClient();
  return useQuery({
    queryKey: ['statistics', instance],
    queryFn: ({ signal }) => {
      const sinceMs = Math.ceil(nowMs() / halfHourMs) * halfHourMs - dayMs;
      return statistics.get(instance, new Date(sinceMs).toISOString(), { signal });
    },
    refetchInterval: 15_000,
    staleTime: 5_000,
  });
}
