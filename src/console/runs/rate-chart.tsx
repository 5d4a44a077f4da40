import { useMemo } from 'react';
import type { Statistics } from '../../contract/statistics-api.ts';
import { Plot } from './plot.tsx';
import { passRate } from './rates.ts';

const percentText = (value: number): string => `${Math.round(value)} %`;
const range = [0, 104] as const;

/** Share of passed runs, by the half hour. */
export function RateChart({ statistics: { buckets } }: { statistics: Statistics }) {
  const { times, lines } = useMemo(() => {
    const values = buckets.map((bucket) => {
      const rate = passRate(bucket);
      return rate === undefined ? null : rate * 100;
    });
    return {
      times: buckets.map(({ start }) => Date.parse(start) / 1000),
      lines: [{ label: 'latest', token: '--passed', values }],
    };
  }, [buckets]);
  return <Plot title="Pass rate" times={times} lines={lines} format={percentText} range={range} />;
}
