import type { StatisticsBucket } from '../../contract/statistics-api.ts';
import { passRate, rateText } from './rates.ts';

const heightPx = 18;
const stepPx = 4;

/** Runs of a day as bars: as high as there were runs, with the failed share in its colour at the foot. */
export function Spark({ buckets }: { buckets: readonly StatisticsBucket[] }) {
  const totals = buckets.map(({ passed, failed, not_judged }) => passed + failed + not_judged);
  const most = Math.max(1, ...totals);
  const rates = buckets.flatMap((bucket) => passRate(bucket) ?? []);
  const lowest = rates.length === 0 ? 'no runs' : `lowest pass rate ${rateText(Math.min(...rates))}`;
  return (
    <svg
      className="spark"
      role="img"
      aria-label={`Runs of the last 24 hours, ${lowest}`}
      width={buckets.length * stepPx}
      height={heightPx}
    >
      {buckets.map(({ start, failed, not_judged }, index) => {
        const total = totals[index] ?? 0;
        const high = total === 0 ? 1 : Math.max(3, (total / most) * heightPx);
        const bad = total === 0 ? 0 : Math.max(failed + not_judged > 0 ? 3 : 0, ((failed + not_judged) / total) * high);
        return (
          <g key={start}>
            <rect
              x={index * stepPx}
              y={heightPx - high}
              width={stepPx - 1}
              height={high}
              className={total === 0 ? 'spark-none' : 'spark-all'}
            />
            <rect x={index * stepPx} y={heightPx - bad} width={stepPx - 1} height={bad} className="spark-bad" />
          </g>
        );
      })}
    </svg>
  );
}
