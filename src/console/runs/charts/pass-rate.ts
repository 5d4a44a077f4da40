import type { StatisticsBucket } from '../../../contract/statistics-api.ts';

export type RunCounts = Pick<StatisticsBucket, 'passed' | 'failed' | 'not_judged'>;

/** Returns the share of passed runs, 0 to 1, or undefined without runs. Cancelled runs do not count. */
export function calculatePassRate({ passed, failed, not_judged }: RunCounts): number | undefined {
  const endedCount = passed + failed + not_judged;
  return endedCount === 0 ? undefined : passed / endedCount;
}

/** Returns for example `98.2 %`. Rounds down, so that 100 % means no failures. */
export function formatRate(rate: number): string {
  const percent = Math.floor(rate * 1000) / 10;
  return `${percent === 100 ? '100' : percent.toFixed(1)} %`;
}
