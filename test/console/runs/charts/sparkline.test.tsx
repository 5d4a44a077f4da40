import t from 'tap';
import { Sparkline } from '../../../../src/console/runs/charts/sparkline.tsx';
import type { StatisticsBucket } from '../../../../src/contract/statistics-api.ts';
import { renderComponent } from '../../render-component.ts';

const createBucket = (hour: number, passed: number, failed: number, broken = 0): StatisticsBucket => ({
  start: `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`,
  ...{ passed, failed, not_judged: broken, cancelled: 0, p50_ms: null, p95_ms: null },
});

async function readBars(t: Parameters<typeof renderComponent>[0], buckets: readonly StatisticsBucket[]) {
  const { container } = await renderComponent(t, <Sparkline buckets={buckets} period="last 24 hours" />);
  const number = (rect: Element | undefined, name: string): number => Number(rect?.getAttribute(name));
  const bars = [...container.querySelectorAll('g')].map((group) => {
    const [all, bad] = group.querySelectorAll('rect');
    return {
      height: number(all, 'height'),
      bad: number(bad, 'height'),
      foot: number(all, 'y') + number(all, 'height'),
    };
  });
  return { bars, label: container.querySelector('svg')?.getAttribute('aria-label'), container };
}

t.test('bars are as high as their runs, and stand on one line', async (t) => {
  const { bars } = await readBars(t, [createBucket(1, 20, 0), createBucket(2, 5, 5), createBucket(3, 0, 0)]);
  t.same(bars, [
    { height: 18, bad: 0, foot: 18 },
    { height: 9, bad: 4.5, foot: 18 },
    { height: 1, bad: 0, foot: 18 },
  ]);
});

t.test('one failure among thousands of runs, and one run beside thousands, are still seen', async (t) => {
  const { bars } = await readBars(t, [createBucket(1, 4999, 1), createBucket(2, 1, 0), createBucket(3, 4000, 0, 1)]);
  t.equal(bars[0]?.bad, 3);
  t.equal(bars[1]?.height, 3);
  t.equal(bars[2]?.bad, 3, 'a run that could not be judged is no success');
});

t.test('the label names the lowest pass rate, and a period without runs', async (t) => {
  const some = await readBars(t, [createBucket(1, 3, 1), createBucket(2, 4, 0)]);
  t.equal(some.label, 'Runs, last 24 hours: lowest pass rate 75.0 %');
  const none = await readBars(t, [createBucket(1, 0, 0)]);
  t.equal(none.label, 'Runs, last 24 hours: no runs');
  t.ok(none.container.querySelector('.spark-none'));
});
