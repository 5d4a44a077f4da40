/** Dates near now, durations and redirects. */
import t from 'tap';
import { emptyObservation, type Observation } from '../../../src/check/observation.ts';
import { judgeCheck, observeBody, parse, parseValid } from '../check-fixtures.ts';

const nowMs = Date.parse('2026-11-23T14:00:00Z');

function passes(text: string, observation: Observation): boolean {
  return judgeCheck(parseValid(text), observation).passed;
}

t.test('a date near the moment of the response is recognized in its usual forms', async (t) => {
  const near = [
    '2026-11-23T14:00:30Z',
    '2026-11-23T15:00:30.123+01:00',
    '2026-11-23T15:00:30+01',
    '2026-11-23 14:00:30',
    '2026-11-23T13:59:30.5Z',
    'Mon, 23 Nov 2026 14:00:30 GMT',
    nowMs + 5000,
    nowMs / 1000,
  ];
  for (const at of near) t.ok(passes('body has at within 1m of now', { ...observeBody({ at }), nowMs }), String(at));
  for (const at of ['2026-11-23T14:01:01Z', '2026-11-23T14:00:30+05:00', 'yesterday', 5, null, '']) {
    t.notOk(passes('body has at within 1m of now', { ...observeBody({ at }), nowMs }), String(at));
  }
  t.ok(passes('body has at within 1d of now', { ...observeBody({ at: '2026-11-23' }), nowMs }));
  t.ok(passes('body every at within 1h of now', { ...observeBody([{ at: nowMs }]), nowMs }));
});

t.test('without a clock no date is near', async (t) => {
  const outcome = judgeCheck(parseValid('body has at within 1m of now'), observeBody({ at: nowMs }));
  t.match(outcome, { passed: false, actual: /when the response arrived is not known$/ });
});

t.test('the outcome says how far the date is away', async (t) => {
  const observation = { ...observeBody({ at: '2026-11-23T13:58:00Z' }), nowMs };
  t.match(judgeCheck(parseValid('body has at within 1m of now'), observation), {
    passed: false,
    expected: 'a date within 1m of now',
    actual: '"2026-11-23T13:58:00Z", 120 s before now',
  });
});

t.test('the duration ends with the last byte, and every layer may compare it', async (t) => {
  const observation = { ...emptyObservation, timings: { ...emptyObservation.timings, bodyMs: 250.24, totalMs: 400 } };
  for (const text of ['duration <= 300ms', 'duration < 1s', 'duration > 0.2s', 'duration >= 250ms']) {
    t.equal(parse(text).check !== undefined, !text.includes('0.2s'), text);
  }
  t.match(judgeCheck(parseValid('duration <= 300ms'), observation), { passed: true, actual: '250.2ms' });
  t.match(judgeCheck(parseValid('duration <= 250ms'), observation), { passed: false, expected: '<= 250ms' });
  t.match(judgeCheck(parseValid('duration <= 1s'), emptyObservation), { passed: false, actual: /did not arrive/ });
  t.match(parse('duration <= 300').problems, [['SCENARIO_CHECK_SPAN', '300']]);
  t.match(parse('duration <=').problems, [['SCENARIO_CHECK_OPERAND_MISSING']]);
});

t.test('a redirect leads to this URL and not to the same path of another host', async (t) => {
  const redirect = (location: string, status = 302): Observation => ({
    ...emptyObservation,
    status,
    url: 'http://shop:3000/cart',
    headers: [['Location', location]],
  });
  t.ok(passes('redirect to /login', redirect('/login')));
  t.ok(passes('redirect to /login', redirect('http://shop:3000/login')));
  t.ok(passes('redirect to http://shop:3000/login', redirect('/login', 307)));
  t.ok(passes('redirect to containing next=', redirect('/login?next=%2Fcart')));
  t.ok(passes('redirect to matching ^/log', redirect('/login')));
  t.notOk(passes('redirect to /login', redirect('http://evil/login')));
  t.notOk(passes('redirect to /login', redirect('/login', 200)));
  t.notOk(passes('redirect to /login', redirect('/login', 304)));
  t.match(judgeCheck(parseValid('redirect to /login'), { ...emptyObservation, status: 302 }), {
    passed: false,
    actual: 'status 302 without `Location`',
  });
  t.match(parse('redirects to /login').problems, [
    ['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `redirect to /login`?'],
  ]);
});
