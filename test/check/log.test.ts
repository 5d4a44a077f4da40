import t from 'tap';
import { isCounted, looksAt } from '../../src/check/kinds.ts';
import type { Observed } from '../../src/check/observed.ts';
import { judgedOn, line, seenInLog } from './evidence.ts';
import { check, parsed } from './samples.ts';

const run = seenInLog([
  line({ level: 'info', message: 'request', http: { status: 201 }, ms: 12 }),
  line({ level: 'error', message: 'disk full', cause: null }, { isError: true }),
  line({ level: 'info', event: 'saga.started' }, { isSagaEvent: true }),
  line('plain text'),
]);

function holds(text: string, observed: Observed = run): boolean {
  return judgedOn(observed, text).passed;
}

t.test('lines, errors and saga events are counted', async (t) => {
  for (const text of ['log lines=4', 'log lines >= 1', 'log errors=1', 'log errors != 0', 'log saga_events>=1']) {
    t.ok(holds(text), text);
  }
  t.same(judgedOn(run, 'log errors=0'), {
    passed: false,
    expected: 'exactly 0 lines of the run that are errors',
    actual: '1',
  });
  t.ok(holds('log lines>100', seenInLog([line({ a: 1 })], 5000)), 'all lines count, not only those that were kept');
});

t.test('a field holds when some line of the run passes', async (t) => {
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
  t.equal(judgedOn(run, 'log has event').actual, '"saga.started" in line 3 of the run');
});

t.test('what no line has is told with what the lines have', async (t) => {
  t.same(judgedOn(run, 'log has level equals fatal'), {
    passed: false,
    expected: 'a line of the run with a `level` exactly fatal',
    actual: '"info", "error" in 3 lines',
  });
  t.equal(judgedOn(run, 'log has user').actual, 'in 4 lines no field `user`; there are: level, message, http, ms');
  t.match(judgedOn(seenInLog([line('x')]), 'log has a').actual, '1 line, none of which is a JSON object');
  t.equal(judgedOn(seenInLog([]), 'log has a').actual, 'no line of the log belongs to the run');
  const kept = seenInLog([line({ a: 1 })], 9);
  t.match(judgedOn(kept, 'log has a equals 2').actual, 'only the first 1 of 9 lines were looked at');
});

t.test('a log that was not to be had is told', async (t) => {
  const away: Observed = {
    status: 200,
    body: { kind: 'empty' },
    log: { kind: 'unavailable', problem: 'no such file', cure: 'x' },
  };
  t.equal(judgedOn(away, 'log lines=0').actual, 'no such file');
  t.equal(judgedOn({ status: 200, body: { kind: 'empty' } }, 'log has a').actual, 'nobody looked at the log');
});

t.test('secrets are concealed before a value is compared', async (t) => {
  const echo: Observed = { ...seenInLog([line({ token: 'hunter2' })]), conceal: () => '[redacted]' };
  t.notOk(holds('log has token matching ^h', echo));
});

t.test('they are no checks of the response, and hold plain data', async (t) => {
  t.equal(looksAt(check('log errors=0')), 'log');
  t.notOk(isCounted(check('log has a')));
  t.match(check('log errors<=3'), { kind: 'log_count', of: 'errors', sign: '<=', count: 3 });
  t.match(check('log has a.b > 1'), {
    kind: 'log_has',
    field: { text: 'a.b' },
    test: { kind: 'compares', sign: '>', number: '1' },
  });
});

t.test('a mistake behind a known word is told at its place', async (t) => {
  t.same(parsed('log has ms > fast').told, [['SCENARIO_CHECK_NUMBER', 'fast']]);
  t.same(parsed('log has a[*]').told[0]?.slice(0, 2), ['SCENARIO_FIELD_INVALID', '[*]']);
});
