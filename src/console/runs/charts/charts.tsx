import { useMemo } from 'react';
import type { Statistics } from '../../../contract/statistics-api.ts';
import { formatDuration } from '../../../report/measures.ts';
import type { RunsPageFilter } from '../run-filter.ts';
import { calculatePassRate } from './pass-rate.ts';
import { Plot } from './plot.tsx';
import { getFilteredOutcome, getStatisticsSpan, spanLabels, useStatistics } from './use-statistics.ts';

/** Pass rate and duration of the runs that the filter selects, over its period; of one result their number instead of the rate. */
export default function Charts({ filter }: { filter: RunsPageFilter }) {
  const outcome = getFilteredOutcome(filter);
  const { data } = useStatistics(filter, outcome);
  if (!data) return <div className="charts" />;
  return (
    <section className="charts" aria-label={`Charts, ${spanLabels[getStatisticsSpan(filter)]}`}>
      {outcome === undefined ? <RateChart statistics={data} /> : <CountChart statistics={data} outcome={outcome} />}
      <DurationChart statistics={data} />
      {data.complete ? null : <p className="faint">Only the newest 10,000 runs are counted.</p>}
    </section>
  );
}

const formatPercent = (value: number): string => `${Math.round(value)} %`;
const percentRange = [0, 104] as const;

function RateChart({ statistics: { buckets } }: { statistics: Statistics }) {
  const { times, lines } = useMemo(() => {
    const values = buckets.map((bucket) => {
      const rate = calculatePassRate(bucket);
      return rate === undefined ? null : rate * 100;
    });
    return {
      times: buckets.map(({ start }) => Date.parse(start) / 1000),
      lines: [{ label: 'latest', token: '--passed', values }],
    };
  }, [buckets]);
  return <Plot title="Pass rate" times={times} lines={lines} format={formatPercent} range={percentRange} />;
}

/** The number of runs with one outcome. */
function CountChart({ statistics: { buckets }, outcome }: { statistics: Statistics; outcome: 'failed' | 'broken' }) {
  const { times, lines } = useMemo(() => {
    const values = buckets.map(({ failed, not_judged: broken }) => (outcome === 'failed' ? failed : broken));
    return {
      times: buckets.map(({ start }) => Date.parse(start) / 1000),
      lines: [{ label: 'latest', token: '--failed', values }],
    };
  }, [buckets, outcome]);
  const title = outcome === 'failed' ? 'Failed runs' : 'Runs that could not be judged';
  return <Plot title={title} times={times} lines={lines} format={String} />;
}

function DurationChart({ statistics: { buckets } }: { statistics: Statistics }) {
  const { times, lines } = useMemo(
    () => ({
      times: buckets.map(({ start }) => Date.parse(start) / 1000),
      lines: [
        { label: 'p50', token: '--ink', values: buckets.map(({ p50_ms }) => p50_ms) },
        { label: 'p95', token: '--faint', values: buckets.map(({ p95_ms }) => p95_ms) },
      ],
    }),
    [buckets],
  );
  return <Plot title="Duration" times={times} lines={lines} format={formatDuration} />;
}
