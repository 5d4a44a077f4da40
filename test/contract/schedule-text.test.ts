import t from 'tap';
import { formatSelection, formatTickTime, formatWhen } from '../../src/contract/schedule-text.ts';

t.test('a schedule is named by its times, with how much later it may start', async (t) => {
  t.equal(formatWhen({ cron: '0 2 * * *', time_zone: 'Europe/Berlin' }), '0 2 * * * Europe/Berlin');
  t.equal(formatWhen({ cron: '0 2 * * *', jitter_s: 60 }), '0 2 * * * UTC, up to 60 s later');
  t.equal(formatWhen({ every: '6h', jitter_s: 0 }), 'every 6h');
  t.equal(formatWhen({ on: 'webhook' }), 'on a webhook');
});

t.test('a selection lists scenarios before tags; an empty one is every scenario', async (t) => {
  t.equal(formatSelection({ every: '6h', tags: ['smoke'], scenarios: ['RT-1', 'RT-2'] }), 'RT-1, RT-2, tag smoke');
  t.equal(formatSelection({ every: '6h' }), 'every scenario');
});

t.test('a time is in the zone of the schedule, and in UTC without one', async (t) => {
  const time = '2026-11-21T01:00:00Z';
  t.equal(formatTickTime(time, { cron: '0 2 * * *', time_zone: 'Europe/Berlin' }), 'Sat, 21 Nov 2026, 02:00 CET');
  t.equal(formatTickTime(time, { every: '6h' }), 'Sat, 21 Nov 2026, 01:00 UTC');
});
