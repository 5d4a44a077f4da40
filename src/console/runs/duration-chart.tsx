import { useMemo } from 'react';
import type { Statistics } from '../../contract/statistics-api.ts';
import { durationText } from '../words/moments.ts';
import { Plot } from './plot.tsx';

/** How long runs took, by the half hour. */
export function DurationChart({ statistics: { buckets } }: { statistics: Statistics }) {
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
  return <Plot title="Duration" times={times} lines={lines} format={durationText} />;
}
