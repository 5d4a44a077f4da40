import fc from 'fast-check';
import t from 'tap';
import { isCounted } from '../../src/check/kinds.ts';
import { patternAtLeast, patternAtMost } from '../../src/check/number-pattern.ts';
import { Numeral } from '../../src/check/numeral.ts';
import { compilePattern } from '../../src/pattern/pattern.ts';
import { check, holds, judged, parsed } from './samples.ts';

function cureOf(text: string): string {
  const [problem, ...more] = parsed(text).told;
  t.equal(problem?.[0], 'SCENARIO_CHECK_COMPARISON', text);
  t.same(more, []);
  return String(problem?.[2]);
}

t.test('each sign is refused with the check that does the same', async (t) => {
  const proposed = (pattern: string): string => `for whole numbers write \`body has count matching ${pattern}\``;
  t.equal(cureOf('body has count >= 1'), proposed('^[1-9][0-9]*$'));
  t.equal(cureOf('body has count > 0'), proposed('^[1-9][0-9]*$'));
  t.equal(cureOf('body has count >= 0'), proposed('^[0-9]+$'));
  t.equal(cureOf('body has count > 9'), proposed('^[1-9][0-9]+$'));
  t.equal(cureOf('body has count < 10'), proposed('^[0-9]$'));
  t.equal(cureOf('body has count <= 1'), proposed('^[01]$'));
  t.equal(cureOf('body has count <= 0'), proposed('^0$'));
  t.equal(cureOf('body has count > 0.5'), proposed('^[1-9][0-9]*$'));
  t.equal(cureOf('body has count >= 100'), proposed('^[1-9][0-9]{2,}$'));
});

t.test('spaces around the sign do not matter', async (t) => {
  for (const text of ['body has count>=1', 'body has count >=1', 'body has count>= 1', 'body has count => 1']) {
    t.match(cureOf(text), /\^\[1-9\]\[0-9\]\*\$/);
  }
});

t.test('the proposed check is one', async (t) => {
  for (const text of ['body has a.b[0] >= 15', 'body has a.b[0] < 1234']) {
    const [, proposal = ''] = /`(.*)`/.exec(cureOf(text)) ?? [];
    t.same(parsed(proposal).told, []);
  }
});

t.test('what has no short pattern gets an example', async (t) => {
  for (const text of ['body has n >= x', 'body has n > -5', 'body has n < 0', 'body has n >=', 'body has n > 1e99']) {
    t.match(cureOf(text), /^match the digits instead/, text);
  }
  t.match(cureOf('body has n >= 99999999999999999999'), /^match the digits instead/);
});

t.test('numbers are compared in the layers that see more than the response', async (t) => {
  t.ok(holds('body has n > 9007199254740992', { n: new Numeral('9007199254740993') }));
  t.ok(holds('body has n>=1', { n: 1 }));
  t.ok(holds('body has n < 0.3', { n: 0.1 }));
  t.notOk(holds('body has n <= 0', { n: 'none' }));
  t.same(judged('body has n > 5', { n: 5 }), {
    passed: false,
    expected: 'a number > 5',
    actual: '5',
    pointer: '/n',
  });
  t.ok(isCounted(check('body has n > 5')));
  t.same(parsed('body has n > x', 'allowed').told, [['SCENARIO_CHECK_NUMBER', 'x']]);
  t.match(parsed('body has n => 1', 'allowed').told, [
    ['SCENARIO_CHECK_UNKNOWN', '=>', 'did you mean `body has n >= 1`?'],
  ]);
  t.match(parsed('status>=200', 'allowed').told, [['SCENARIO_CHECK_COMPARISON']]);
});

t.test('a status is not compared either', async (t) => {
  for (const text of ['status>=200', 'status < 300', 'status <= 299']) t.match(cureOf(text), /`status=200`/);
});

t.test('a sign within a pattern or a text is no comparison', async (t) => {
  t.ok(holds('body has a matching >=', { a: '>= 1' }));
  t.ok(holds('body has a containing < 5', { a: 'x < 5' }));
  t.ok(holds('body has ["a>b"]', { 'a>b': 1 }));
});

t.test('the patterns hold for exactly the whole numbers they stand for', async () => {
  const number = fc.oneof(fc.nat(130), fc.nat(12_000), fc.nat(1_000_000));
  fc.assert(
    fc.property(number, number, (bound, value) => {
      const least = compilePattern(patternAtLeast(bound));
      const most = compilePattern(patternAtMost(bound));
      if ('problem' in least || 'problem' in most) return false;
      const text = String(value);
      return least.pattern.test(text) === value >= bound && most.pattern.test(text) === value <= bound;
    }),
    { numRuns: 2000 },
  );
});
