import type { StatisticsBucket } from '../../../contract/statistics-api.ts';
import { calculatePassRate, formatRate } from './pass-rate.ts';

const heightPx = 18;
const barStepPx = 4;

/** A bar for each period: its height is the number of runs, the coloured part the failed ones. */
export function Sparkline({ buckets, period }: { buckets: readonly StatisticsBucket[]; period: string }) {
  const totals = buckets.map(({ passed, failed, not_judged }) => passed + failed + not_judged);
  const maxTotal = Math.max(1, ...totals);
  const rates = buckets.flatMap((bucket) => calculatePassRate(bucket) ?? []);
  const lowest = rates.length === 0 ? 'no runs' : `lowest pass rate ${formatRate(Math.min(...rates))}`;
  return (
    <svg
      className="spark"
      role="img"
      aria-label={`Runs, ${period}: ${lowest}`}
      width={buckets.length * barStepPx}
      height={heightPx}
    >
      {buckets.map(({ start, failed, not_judged }, index) => {
        const total = totals[index] ?? 0;
        const barHeightPx = total === 0 ? 1 : Math.max(3, (total / maxTotal) * heightPx);
        const failedHeightPx =
          total === 0 ? 0 : Math.max(failed + not_judged > 0 ? 3 : 0, ((failed + not_judged) / total) * barHeightPx);
        return (
          <g key={start}>
            <rect
              x={index * barStepPx}
              y={heightPx - barHeightPx}
              width={barStepPx - 1}
              height={barHeightPx}
              className={total === 0 ? 'spark-none' : 'spark-all'}
            />
            <rect
              x={index * barStepPx}
              y={heightPx - failedHeightPx}
              width={barStepPx - 1}
              height={failedHeightPx}
              className="spark-bad"
            />
          </g>
        );
      })}
    </svg>
  );
}
