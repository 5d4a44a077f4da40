import t from 'tap';
import type { CheckOutcome } from '../../../src/check/check-kind.ts';
import { emptyObservation, type ObservedHeaders } from '../../../src/check/observation.ts';
import { judgeCheck, parse, parseValid } from '../check-fixtures.ts';

const headers: ObservedHeaders = [
  ['Content-Type', 'application/json; charset=utf-8'],
  ['X-Total', '120'],
  ['Vary', 'Accept'],
  ['vary', 'Origin'],
  ['Date', 'Mon, 23 Nov 2026 14:00:00 GMT'],
];
const nowMs = Date.parse('2026-11-23T14:00:20Z');

function judge(text: string): CheckOutcome {
  return judgeCheck(parseValid(text), { ...emptyObservation, headers, nowMs });
}

t.test('a header is present, absent or passes a test, whatever the case of its name', async (t) => {
  for (const text of [
    'header content-type',
    'header Content-Type matching ^application/json',
    'header Content-Type containing utf-8',
    'header X-Total equals 120',
    'header X-Total = 120',
    'header X-Total >= 120',
    'header Vary equals Accept, Origin',
    'header Server absent',
    'header Date within 1m of now',
  ]) {
    t.ok(judge(text).passed, text);
  }
  for (const text of [
    'header Server',
    'header X-Total equals 12',
    'header X-Total absent',
    'header Server matching .*',
  ]) {
    t.notOk(judge(text).passed, text);
  }
});

t.test('the outcome says what is there', async (t) => {
  t.same(judge('header Server'), { passed: false, expected: 'a header `Server`', actual: 'no such header' });
  t.same(judge('header X-Total absent'), { passed: false, expected: 'no header `X-Total`', actual: '"120"' });
  t.match(judge('header Date within 5s of now'), {
    passed: false,
    actual: '"Mon, 23 Nov 2026 14:00:00 GMT", 20 s before now',
  });
});

t.test('a secret in a header is concealed before it is compared', async (t) => {
  const observation = { ...emptyObservation, headers: [['X-Key', 's3cret']] as const, conceal: () => '[redacted]' };
  t.match(judgeCheck(parseValid('header X-Key matching ^s'), observation), { passed: false, actual: '"[redacted]"' });
});

t.test('malformed checks are refused with their fix', async (t) => {
  t.match(parse('header').problems, [['SCENARIO_CHECK_UNKNOWN']]);
  t.match(parse('header has Location').problems, [
    ['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `header Location`?'],
  ]);
  t.match(parse('header Location exists').problems, [
    ['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `header Location`?'],
  ]);
  t.match(parse('response header X-Total is 1').problems, [
    ['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `header X-Total equals 1`?'],
  ]);
  t.match(parse('header X-Total: 1').problems, [
    ['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `header X-Total equals 1`?'],
  ]);
  t.match(parse('no header Server').problems, [
    ['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `header Server absent`?'],
  ]);
  t.match(parse('header X-Total matching (').problems, [['SCENARIO_CHECK_PATTERN']]);
  t.match(parse('header X-Total equals').problems, [['SCENARIO_CHECK_OPERAND_MISSING']]);
  t.match(parse('header Date within 5 of now').problems, [['SCENARIO_CHECK_SPAN', '5 of now']]);
  t.match(parse('header X-Total > 5').problems, [['SCENARIO_CHECK_COMPARISON', '> 5', /HTTP Ingestion \+ Log/]]);
});
