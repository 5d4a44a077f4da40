import t from 'tap';
import { findNextTickMs, listTicksMs, parseTiming, type TimingText } from '../../src/schedule/timing.ts';

function list(text: TimingText, after: string, count: number): string[] {
  return listTicksMs(parseTiming(text), Date.parse(after), count).map((ms) => new Date(ms).toISOString());
}

t.test('where the clock goes forward, a skipped time becomes the first moment afterwards', async (t) => {
  const daily = { cron: '30 2 * * *', time_zone: 'Europe/Berlin' };
  t.same(list(daily, '2026-03-27T12:00:00Z', 3), [
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ]);
  t.same(list({ cron: '15 2 * * *', time_zone: 'Australia/Lord_Howe' }, '2026-10-03T00:00:00Z', 2), [
    '2026-10-03T15:30:00.000Z',
    '2026-10-04T15:15:00.000Z',
  ]);
  // Midnight itself is skipped.
  t.same(list({ cron: '0 0 * * *', time_zone: 'Asia/Beirut' }, '2026-03-28T00:00:00Z', 2), [
    '2026-03-28T22:00:00.000Z',
    '2026-03-29T21:00:00.000Z',
  ]);
});

t.test('where the clock goes back, a time that comes twice is taken once', async (t) => {
  t.same(list({ cron: '30 2 * * *', time_zone: 'Europe/Berlin' }, '2026-10-24T12:00:00Z', 2), [
    '2026-10-25T00:30:00.000Z',
    '2026-10-26T01:30:00.000Z',
  ]);
  t.same(list({ cron: '30 1 * * *', time_zone: 'America/New_York' }, '2026-10-31T12:00:00Z', 2), [
    '2026-11-01T05:30:00.000Z',
    '2026-11-02T06:30:00.000Z',
  ]);
});

t.test('every half hour means elapsed time, on days of 23 and 25 hours too', async (t) => {
  const halfHourly = { cron: '*/30 * * * *', time_zone: 'Europe/Berlin' };
  const count = (from: string, to: string) =>
    list(halfHourly, from, 60).filter((time) => time <= new Date(to).toISOString()).length;
  t.equal(count('2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'), 46);
  t.equal(count('2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'), 50);
});

t.test('a tick is found from any moment before it, and from none twice', async (t) => {
  for (const time_zone of ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Beirut', 'UTC'])
    for (const cron of ['30 2 * * *', '30 1 * * *', '*/20 * * * *', '0 0 * * *', '5 1-3 * * *']) {
      const timing = parseTiming({ cron, time_zone });
      for (const start of [Date.UTC(2026, 2, 7), Date.UTC(2026, 2, 27), Date.UTC(2026, 9, 23), Date.UTC(2026, 9, 30)]) {
        const ticks = listTicksMs(timing, start, 40);
        const steps = ticks.map((_, index) => findNextTickMs(timing, index === 0 ? start : (ticks[index - 1] ?? 0)));
        t.same(steps, ticks, `${cron} in ${time_zone} step by step`);
        t.equal(new Set(ticks).size, 40);
        const before = ticks.map((tick) => findNextTickMs(timing, tick - 1));
        t.same(before, ticks, `${cron} in ${time_zone} from the millisecond before`);
      }
    }
});

t.test('intervals count from 1970, so that a restart does not move them', async (t) => {
  t.same(list({ every: '6h' }, '2026-11-20T14:30:12.345Z', 2), [
    '2026-11-20T18:00:00.000Z',
    '2026-11-21T00:00:00.000Z',
  ]);
  t.same(list({ every: '15m' }, '2026-11-20T14:30:00Z', 1), ['2026-11-20T14:45:00.000Z']);
});

t.test('what is no time is refused with the member and the reason', async (t) => {
  const refusals: readonly (readonly [TimingText, RegExp])[] = [
    [{}, /cron: give exactly one/],
    [{ cron: '* * * * *', every: '1h' }, /exactly one/],
    [{ cron: '61 * * * *' }, /cron: Invalid value for minute/],
    [{ cron: '* * * *' }, /cron: /],
    [{ cron: '* * * * * *' }, /cron: /],
    [{ cron: '0 2 * * *', time_zone: 'Mars/Olympus' }, /time_zone: Mars\/Olympus is not a known time zone/],
    [{ cron: '0 2 * * *', time_zone: '+02:00' }, /time_zone: must be a name/],
    [{ every: '0m' }, /every: must be a duration/],
    [{ every: '400d' }, /every: must be a duration/],
    [{ every: '1h', time_zone: 'UTC' }, /time_zone: intervals have none|intervals have no time zone/],
  ];
  for (const [text, message] of refusals) t.throws(() => parseTiming(text), { code: 'SCHEDULE_INVALID', message });
  t.equal(findNextTickMs(parseTiming({ cron: '0 0 30 2 *' }), 0), undefined, 'never due');
});
