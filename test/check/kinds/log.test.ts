import t from 'tap';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { emptyObservation, type Observation } from '../../../src/check/observation.ts';
import { parse, parseValid } from '../check-fixtures.ts';
import { judgeOn, line, observeLog } from '../evidence-fixtures.ts';

const run = observeLog([
  line({ level: 'info', message: 'request', http: { status: 201 }, ms: 12 }),
  line({ level: 'error', message: 'disk full', cause: null }, { isError: true }),
  line({ level: 'info', event: 'saga.started' }, { isSagaEvent: true }),
  line('plain text'),
]);

function holds(text: string, observed: Observation = run): boolean {
  return judgeOn(observed, text).passed;
}

t.test('lines, errors and saga events are counted', async (t) => {
  for (const text of ['log lines=4', 'log lines >= 1', 'log errors=1', 'log errors != 0', 'log saga_events>=1']) {
    t.ok(holds(text), text);
  }
  t.same(judgeOn(run, 'log errors=0'), {
    passed: false,
    expected: 'exactly 0 lines of the run that are errors',
    actual: '1',
  });
  t.ok(holds('log lines>100', observeLog([line({ a: 1 })], 5000)), 'all lines count, not only those that were kept');
});

t.test('a field check passes when some line of the run passes', async (t) => {
  for (const text of [
    'log has level equals error',
    'log has message containing disk',
    'log has http.status equals 201',
    'log has ms < 12.5',
    'log has event matching ^saga\\.',
    'log has cause',
    'log has cause equals null',
  ]) {
    t.ok(holds(text), text);
  }
  t.equal(judgeOn(run, 'log has event').actual, '"saga.started" in line 3 of the run');
});

t.test('a failing field check reports what the lines contain', async (t) => {
  t.same(judgeOn(run, 'log has level equals fatal'), {
    passed: false,
    expected: 'a line of the run with a `level` exactly fatal',
    actual: '"info", "error" in 3 lines',
  });
  t.equal(judgeOn(run, 'log has user').actual, 'in 4 lines no field `user`; there are: level, message, http, ms');
  t.match(judgeOn(observeLog([line('x')]), 'log has a').actual, '1 line, none of which is a JSON object');
  t.equal(judgeOn(observeLog([]), 'log has a').actual, 'no line of the log belongs to the run');
  const truncated = observeLog([line({ a: 1 })], 9);
  t.match(judgeOn(truncated, 'log has a equals 2').actual, 'only the first 1 of 9 lines were looked at');
});

t.test('an unavailable log is explained', async (t) => {
  const unavailable: Observation = {
    ...emptyObservation,
    log: { kind: 'unavailable', problem: 'no such file', cure: 'x' },
  };
  t.equal(judgeOn(unavailable, 'log lines=0').actual, 'no such file');
  t.equal(judgeOn(emptyObservation, 'log has a').actual, 'the log was not read');
});

t.test('secrets are concealed before a value is compared', async (t) => {
  const echo: Observation = { ...observeLog([line({ token: 'hunter2' })]), conceal: () => '[redacted]' };
  t.notOk(holds('log has token matching ^h', echo));
});

t.test('they look at the log, are not counted, and hold plain data', async (t) => {
  t.equal(getCheckKind(parseValid('log errors=0')).looksAt, 'log');
  t.notOk(getCheckKind(parseValid('log has a')).counted);
  t.match(parseValid('log errors<=3'), { kind: 'log_count', subject: 'errors', sign: '<=', count: 3 });
  t.match(parseValid('log has a.b > 1'), {
    kind: 'log_has',
    field: { text: 'a.b' },
    test: { kind: 'compares', sign: '>', number: '1' },
  });
});

t.test('a mistake after a known word is reported at its position', async (t) => {
  t.same(parse('log has ms > fast').problems, [['SCENARIO_CHECK_NUMBER', 'fast']]);
  t.same(parse('log has a[*]').problems[0]?.slice(0, 2), ['SCENARIO_FIELD_INVALID', '[*]']);
});
