import t from 'tap';
import { formatRelativeTime } from '../../src/terminal/relative-time.ts';

t.test('a time is shown in a suitable unit, never in the future', async (t) => {
  const nowMs = Date.UTC(2026, 10, 20, 14, 30, 12);
  const formatSecondsAgo = (seconds: number): string =>
    formatRelativeTime(new Date(nowMs - seconds * 1000).toISOString(), nowMs);
  const formatted = [0, 1, 59, 60, 3599, 3600, 47 * 3600, 48 * 3600, 40 * 86_400, -100].map(formatSecondsAgo);
  t.same(formatted, [
    'now',
    '1 s ago',
    '59 s ago',
    '1 min ago',
    '59 min ago',
    '1 h ago',
    '47 h ago',
    '2 d ago',
    '40 d ago',
    'now',
  ]);
});
