import { failureDays } from '../../contract/failure-limits.ts';
import { formatCount } from '../text/format.ts';

const heightPx = 18;
const barStepPx = 6;

/** A bar for each of the last days: its height is the number of failed runs. */
export function FailureDays({ days }: { days: readonly number[] }) {
  const highest = Math.max(1, ...days);
  const total = days.reduce((sum, count) => sum + count, 0);
  const label = `Last ${failureDays} days: ${formatCount(total, 'failed run')}, at most ${highest} on one day`;
  const daysAgo = (index: number): number => days.length - 1 - index;
  return (
    <svg className="failure-days" role="img" aria-label={label} width={days.length * barStepPx} height={heightPx}>
      <title>{label}</title>
      {days.map((count, index) => {
        const barHeightPx = count === 0 ? 1 : Math.max(3, (count / highest) * heightPx);
        return (
          <rect
            key={daysAgo(index)}
            x={index * barStepPx}
            y={heightPx - barHeightPx}
            width={barStepPx - 2}
            height={barHeightPx}
            className={count === 0 ? 'spark-none' : 'spark-bad'}
          />
        );
      })}
    </svg>
  );
}
