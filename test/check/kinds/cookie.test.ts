import t from 'tap';
import type { CheckOutcome } from '../../../src/check/check-kind.ts';
import { emptyObservation } from '../../../src/check/observation.ts';
import { judgeCheck, parse, parseValid } from '../check-fixtures.ts';

const setCookies = ['theme=dark', 'session=a=b; Path=/; httponly; SameSite=Lax; Max-Age=3600'];

function judge(text: string): CheckOutcome {
  return judgeCheck(parseValid(text), { ...emptyObservation, setCookies });
}

t.test('a cookie and its attributes are tested', async (t) => {
  for (const text of [
    'cookie session',
    'cookie session equals a=b',
    'cookie theme matching ^(dark|light)$',
    'cookie other absent',
    'cookie session HttpOnly',
    'cookie session samesite equals Lax',
    'cookie session Max-Age <= 3600',
    'cookie session Secure absent',
    'cookie session Path = /',
  ]) {
    t.ok(judge(text).passed, text);
  }
  t.match(judge('cookie theme HttpOnly'), { passed: false, actual: 'the cookie has no `HttpOnly`' });
  t.match(judge('cookie session absent'), { passed: false, expected: 'no cookie `session`', actual: '[redacted]' });
});

t.test('a cookie that is not set says nothing about its attributes', async (t) => {
  t.match(judge('cookie other HttpOnly'), { passed: false, actual: 'no such cookie' });
  t.match(judge('cookie other Secure absent'), { passed: false, actual: 'no such cookie' });
});

t.test('the last of two cookies of a name counts, as in a browser', async (t) => {
  const twice = [...setCookies, 'theme=light'];
  t.ok(judgeCheck(parseValid('cookie theme equals light'), { ...emptyObservation, setCookies: twice }).passed);
});

t.test('malformed checks are refused with their fix', async (t) => {
  t.match(parse('cookie').problems, [['SCENARIO_CHECK_UNKNOWN']]);
  t.match(parse('cookie has session').problems, [['SCENARIO_CHECK_UNKNOWN', String, 'did you mean `cookie session`?']]);
  t.match(parse('cookie session Colour').problems, [['SCENARIO_CHECK_UNKNOWN', String, /cookie <name>/]]);
});
