import t from 'tap';
import { findQuietEndMs } from '../../src/notifications/routing.ts';

const night = { from: '22:00', to: '07:00', time_zone: 'Europe/Berlin' };

function findEnd(time: string, period = night): string | undefined {
  const endMs = findQuietEndMs(period, Date.parse(time));
  return endMs === undefined ? undefined : new Date(endMs).toISOString();
}

t.test('a time in quiet hours leads to their end, also over midnight', async (t) => {
  t.equal(findEnd('2026-11-20T20:59:59Z'), undefined);
  t.equal(findEnd('2026-11-20T21:00:00Z'), '2026-11-21T06:00:00.000Z', 'the first moment is in them');
  t.equal(findEnd('2026-11-21T03:00:00Z'), '2026-11-21T06:00:00.000Z');
  t.equal(findEnd('2026-11-21T05:59:59Z'), '2026-11-21T06:00:00.000Z');
  t.equal(findEnd('2026-11-21T06:00:00Z'), undefined, 'the last moment is not');
  const lunch = { from: '12:00', to: '13:30', time_zone: 'UTC' };
  t.equal(findEnd('2026-11-20T12:30:00Z', lunch), '2026-11-20T13:30:00.000Z');
  t.equal(findEnd('2026-11-20T14:00:00Z', lunch), undefined);
});

t.test('quiet hours end by the clock on the wall, also when that changes in the night', async (t) => {
  t.equal(findEnd('2027-03-27T22:00:00Z'), '2027-03-28T05:00:00.000Z', 'an hour is skipped');
  t.equal(findEnd('2026-10-24T21:00:00Z'), '2026-10-25T06:00:00.000Z', 'an hour comes twice');
  const skipped = { from: '02:15', to: '02:45', time_zone: 'Europe/Berlin' };
  t.equal(findEnd('2027-03-28T01:00:00Z', skipped), undefined, 'a period that does not come');
});

t.test('an unknown time zone is refused', async (t) => {
  t.throws(() => findEnd('2026-11-20T00:00:00Z', { ...night, time_zone: 'Europe/Atlantis' }), {
    code: 'SCHEDULE_INVALID',
  });
});
