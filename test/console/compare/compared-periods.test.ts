import t from 'tap';
import {
  findAround,
  findLastDays,
  findLastWeeks,
  findPeriodProblem,
  fromLocalInput,
  readPeriods,
  toLocalInput,
  toPeriodSides,
  writePeriods,
} from '../../../src/console/compare/compared-periods.ts';

process.env.TZ = 'Europe/Berlin';
const toMs = (text: string): number => Date.parse(text);

t.test('a week begins on Monday at midnight of the reader, also over a change of the clocks', async (t) => {
  const friday = findLastWeeks(toMs('2026-11-27T09:00:00Z'));
  t.same(friday, {
    ...{ baseSince: '2026-11-15T23:00:00.000Z', baseUntil: '2026-11-22T23:00:00.000Z' },
    ...{ headSince: '2026-11-22T23:00:00.000Z', headUntil: undefined },
  });
  const sunday = findLastWeeks(toMs('2026-11-29T22:00:00Z'));
  t.same(sunday, friday, 'Sunday is its last day');
  const clocksChanged = findLastWeeks(toMs('2026-10-27T09:00:00Z'));
  t.match(clocksChanged, { baseSince: '2026-10-18T22:00:00.000Z', baseUntil: '2026-10-25T23:00:00.000Z' });
  t.match(findLastDays(toMs('2026-10-26T09:00:00Z')), {
    ...{ baseSince: '2026-10-24T22:00:00.000Z', baseUntil: '2026-10-25T23:00:00.000Z', headUntil: undefined },
  });
});

t.test('around a time there is a week on each side, as far as it has passed', async (t) => {
  const moment = toMs('2026-11-10T12:00:00Z');
  t.match(findAround(moment, moment + 86_400_000), { baseUntil: '2026-11-10T12:00:00.000Z', headUntil: undefined });
  t.match(findAround(moment, moment + 30 * 86_400_000), {
    ...{ baseSince: '2026-11-03T12:00:00.000Z', headUntil: '2026-11-17T12:00:00.000Z' },
  });
});

t.test('an address has the whole choice', async (t) => {
  const periods = findAround(toMs('2026-11-10T12:00:00Z'), toMs('2026-12-01T00:00:00Z'));
  const search = new URLSearchParams('by=periods');
  writePeriods(search, periods);
  t.same(readPeriods(new URLSearchParams(search.toString())), periods);
  writePeriods(search, { ...periods, headUntil: undefined });
  t.notOk(search.has('head_until'));
  t.same(toPeriodSides({ ...periods, headUntil: undefined })[1], { since: '2026-11-10T12:00:00.000Z' });
  for (const text of ['', 'base_since=2026-11-01', 'base_since=x&base_until=2026-11-02&head_since=2026-11-02'])
    t.equal(readPeriods(new URLSearchParams(text)), undefined, text);
});

t.test('periods that end before they begin are told', async (t) => {
  const periods = findLastWeeks(toMs('2026-11-27T09:00:00Z'));
  t.equal(findPeriodProblem(periods), undefined);
  t.match(findPeriodProblem({ ...periods, baseUntil: periods.baseSince }), /^The first period/);
  t.match(findPeriodProblem({ ...periods, headUntil: periods.baseSince }), /^The second period/);
});

t.test('inputs are in local time', async (t) => {
  t.equal(toLocalInput('2026-11-22T23:00:00.000Z'), '2026-11-23T00:00');
  t.equal(fromLocalInput('2026-11-23T00:00'), '2026-11-22T23:00:00.000Z');
  t.equal(toLocalInput(undefined), '');
  t.equal(fromLocalInput(''), undefined);
});
