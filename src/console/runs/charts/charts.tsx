import { useMemo } from 'react';
import type { Statistics } from '../../../contract/statistics-api.ts';
import { formatDuration } from '../../text/format.ts';
import { calculatePassRate } from './pass-rate.ts';
import { Plot } from './plot.tsx';
import { useStatistics } from './use-statistics.ts';

/** Pass rate and duration of the last 24 hours, by the half hour. */
export default function Charts({ instance }: { instance: string }) {
  const { data } = useStatistics(instance);
  if (!data) return <div className="charts" />;
  return (
    <section className="charts" aria-label="Last 24 hours">
      <RateChart statistics={data} />
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
