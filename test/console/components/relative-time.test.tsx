/** Own process: all times of a page share a clock, which other files may have started on the real time. */
import { mock } from 'node:test';
import { act } from 'react';
import t from 'tap';
import { renderComponent } from '../render-component.ts';

const startMs = Date.parse('2026-11-20T14:30:12.000Z');
const toTimestamp = (ms: number): string => new Date(ms).toISOString();

t.test('times on a page grow old together, by one timer that ends with the last of them', async (t) => {
  mock.timers.enable({ apis: ['Date', 'setInterval'], now: startMs });
  t.teardown(() => mock.timers.reset());
  const { RelativeTime } = await import('../../../src/console/components/relative-time.tsx');
  const { container, unmount } = await renderComponent(
    t,
    <>
      <RelativeTime timestamp={toTimestamp(startMs - 2_000)} />
      <RelativeTime timestamp={toTimestamp(startMs - 58_000)} />
      <RelativeTime timestamp={toTimestamp(startMs + 60_000)} />
    </>,
  );
  const texts = () => [...container.querySelectorAll('time')].map(({ textContent }) => textContent);
  t.same(texts(), ['just now', '58 s ago', 'just now']);
  await act(async () => mock.timers.tick(4_000));
  t.same(texts(), ['6 s ago', '1 min ago', 'just now']);
  await act(async () => mock.timers.tick(3_600_000));
  t.same(texts(), ['1 h ago', '1 h ago', '59 min ago']);
  const [first] = container.querySelectorAll('time');
  t.equal(first?.dateTime, toTimestamp(startMs - 2_000), 'for programs it stays exact');
  t.equal(first?.title, '');
  await act(async () => void first?.dispatchEvent(new Event('pointerover', { bubbles: true })));
  t.match(first?.title, /2026/, 'the exact time is written when somebody points at it');
  const cleared = t.capture(globalThis, 'clearInterval', clearInterval);
  await unmount();
  t.equal(cleared.args().length, 1);
});
