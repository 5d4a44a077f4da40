import { useQuery } from '@tanstack/react-query';
import { getSpanStartMs } from '../../../client/run-page-filter.ts';
import type { TimeSpan } from '../../../contract/view-limits.ts';
import type { RunOutcome } from '../../../run/state.ts';
import { nowMs } from '../../browser.ts';
import { useClient } from '../../session/client.ts';
import type { RunsPageFilter } from '../run-filter.ts';

const minuteMs = 60_000;

/** The period of the statistics: that of the filter, or the last day. */
export function getStatisticsSpan({ span }: Pick<RunsPageFilter, 'span'>): TimeSpan {
  return span ?? '24h';
}

export const spanLabels: Readonly<Record<TimeSpan, string>> = {
  today: 'today',
  '1h': 'last hour',
  '24h': 'last 24 h',
  '7d': 'last 7 days',
  '30d': 'last 30 days',
};

/** The outcome that the filter selects; undefined for all and for runs that have not ended. */
export function getFilteredOutcome({ result }: Pick<RunsPageFilter, 'result'>): 'failed' | 'broken' | undefined {
  return result === 'failed' || result === 'broken' ? result : undefined;
}

/** Returns statistics of the runs of the filter's scenario and period, with every result or with one `outcome`. The start is a whole minute, so that pages share requests. */
export function useStatistics(filter: Pick<RunsPageFilter, 'instance' | 'scenario' | 'span'>, outcome?: RunOutcome) {
  const { statistics } = useClient();
  const { instance, scenario } = filter;
  const span = getStatisticsSpan(filter);
  return useQuery({
    queryKey: ['statistics', instance, scenario, span, outcome],
    queryFn: ({ signal }) => {
      const sinceMs = Math.floor(getSpanStartMs(span, nowMs()) / minuteMs) * minuteMs;
      return statistics.get(instance, new Date(sinceMs).toISOString(), { signal, scenario, outcome });
    },
    refetchInterval: 15_000,
    staleTime: 5_000,
  });
}
