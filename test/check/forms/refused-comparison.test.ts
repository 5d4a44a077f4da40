import fc from 'fast-check';
import t from 'tap';
import { buildMaxPattern, buildMinPattern } from '../../../src/check/forms/refused-comparison.ts';
import { Numeral } from '../../../src/check/json/json.ts';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { compilePattern } from '../../../src/pattern/pattern.ts';
import { holds, judge, parse, parseValid } from '../check-fixtures.ts';

function findCure(text: string): string {
  const [problem, ...more] = parse(text).problems;
  t.equal(problem?.[0], 'SCENARIO_CHECK_COMPARISON', text);
  t.same(more, []);
  return String(problem?.[2]);
}

/** Ends every cure: where the numbers may be compared, and why not here. */
const layerHint =
  '; or write `- Layer: HTTP Ingestion + Log`, with or without checks of the log: layers with evidence compare numbers, the plain one matches digits, as the specification has it';

t.test('each sign is refused, and an equivalent check is suggested', async (t) => {
  const proposed = (pattern: string): string =>
    `for whole numbers write \`body has count matching ${pattern}\`${layerHint}`;
  t.equal(findCure('body has count >= 1'), proposed('^[1-9][0-9]*$'));
  t.equal(findCure('body has count > 0'), proposed('^[1-9][0-9]*$'));
  t.equal(findCure('body has count >= 0'), proposed('^[0-9]+$'));
  t.equal(findCure('body has count > 9'), proposed('^[1-9][0-9]+$'));
  t.equal(findCure('body has count < 10'), proposed('^[0-9]$'));
  t.equal(findCure('body has count <= 1'), proposed('^[01]$'));
  t.equal(findCure('body has count <= 0'), proposed('^0$'));
  t.equal(findCure('body has count > 0.5'), proposed('^[1-9][0-9]*$'));
  t.equal(findCure('body has count >= 100'), proposed('^[1-9][0-9]{2,}$'));
});

t.test('spaces around the sign do not matter', async (t) => {
  for (const text of ['body has count>=1', 'body has count >=1', 'body has count>= 1', 'body has count => 1']) {
    t.match(findCure(text), /\^\[1-9\]\[0-9\]\*\$/);
  }
});

t.test('the suggested check is valid', async (t) => {
  for (const text of ['body has a.b[0] >= 15', 'body has a.b[0] < 1234']) {
    const [, proposal = ''] = /`(.*)`/.exec(findCure(text)) ?? [];
    t.same(parse(proposal).problems, []);
  }
});

t.test('a comparison without a short pattern is answered with an example', async (t) => {
  for (const text of ['body has n >= x', 'body has n > -5', 'body has n < 0', 'body has n >=', 'body has n > 1e99']) {
    t.match(findCure(text), /^match the digits instead/, text);
  }
  t.match(findCure('body has n >= 99999999999999999999'), /^match the digits instead/);
});

t.test('numbers may be compared in layers with a database or a log', async (t) => {
  t.ok(holds('body has n > 9007199254740992', { n: new Numeral('9007199254740993') }));
  t.ok(holds('body has n>=1', { n: 1 }));
  t.ok(holds('body has n < 0.3', { n: 0.1 }));
  t.notOk(holds('body has n <= 0', { n: 'none' }));
  t.same(judge('body has n > 5', { n: 5 }), {
    passed: false,
    expected: 'a number > 5',
    actual: '5',
    pointer: '/n',
  });
  t.ok(getCheckKind(parseValid('body has n > 5')).counted);
  t.same(parse('body has n > x', 'allowed').problems, [['SCENARIO_CHECK_NUMBER', 'x']]);
  t.match(parse('body has n => 1', 'allowed').problems, [
    ['SCENARIO_CHECK_UNKNOWN', '=>', 'did you mean `body has n >= 1`?'],
  ]);
  t.match(parse('status>=200', 'allowed').problems, [['SCENARIO_CHECK_COMPARISON']]);
});

t.test('comparisons of the status are refused too', async (t) => {
  for (const text of ['status>=200', 'status < 300', 'status <= 299']) t.match(findCure(text), /`status=200`/);
});

t.test('a sign within a pattern or a text is not a comparison', async (t) => {
  t.ok(holds('body has a matching >=', { a: '>= 1' }));
  t.ok(holds('body has a containing < 5', { a: 'x < 5' }));
  t.ok(holds('body has ["a>b"]', { 'a>b': 1 }));
});

t.test('the patterns hold for exactly the whole numbers they stand for', async () => {
  const number = fc.oneof(fc.nat(130), fc.nat(12_000), fc.nat(1_000_000));
  fc.assert(
    fc.property(number, number, (bound, value) => {
      const min = compilePattern(buildMinPattern(bound));
      const max = compilePattern(buildMaxPattern(bound));
      if ('problem' in min || 'problem' in max) return false;
      const text = String(value);
      return min.pattern.test(text) === value >= bound && max.pattern.test(text) === value <= bound;
    }),
    { numRuns: 2000 },
  );
});
