import fc from 'fast-check';
import t from 'tap';
import { Numeral } from '../../../src/check/json/json.ts';
import { holds, judge, judgeCheck, observeBody, parse, parseValid } from '../check-fixtures.ts';

const order = {
  totalPages: 5,
  perPage: 25,
  count: 120,
  total: new Numeral('13.50'),
  items: [
    { price: 0.1, quantity: 3 },
    { price: 0.2, quantity: 6 },
    { price: 12, quantity: 1 },
  ],
  a: { id: 'x', other: 'x', third: 'y' },
};

t.test('fields are calculated with, exactly', async (t) => {
  for (const text of [
    'body totalPages * perPage >= count',
    'body totalPages equals ceil(count / perPage)',
    'body total equals sum(items.price * items.quantity)',
    'body count(items) equals 3',
    'body min(items.price) = 0.1',
    'body max(items.price) * 2 = 24',
    'body items[0].price + items[1].price equals 0.3',
    'body (count - 20) / 4 = perPage',
    'body round(count / 7, 2) = 17.14',
    'body floor(count / 7) = 17',
    'body count - 0 != 121',
    'body a.id equals a.other',
    'body a.id != a.third',
  ]) {
    t.ok(holds(text, order), text);
  }
});

t.test('the outcome shows both sides', async (t) => {
  t.match(judge('body totalPages equals ceil(count / perPage)', { ...order, totalPages: 4 }), {
    passed: false,
    expected: 'totalPages equals ceil(count / perPage)',
    actual: '4 and 5',
    pointer: '/totalPages',
    otherPointers: ['/count', '/perPage'],
  });
  t.match(judge('body a.id equals a.third', order), { passed: false, actual: '"x" and "y"' });
  t.match(judge('body count / 7 = perPage', order), { passed: false, actual: '17.142857142857… and 25' });
});

t.test('what cannot be calculated fails with the reason', async (t) => {
  const actual = (text: string): string => judge(text, order).actual;
  t.match(actual('body missing * 2 = 4'), /^no field `missing`/);
  t.match(actual('body a.id * 2 = 4'), /`a.id` is "x", not a number/);
  t.match(actual('body count / (perPage - 25) = 1'), 'a division by zero');
  t.match(actual('body sum(count) = 120'), /needs a list/);
  t.match(actual('body sum(items.size) = 120'), /^no field `size` in `items\[0\]`/);
  t.notOk(judge('body count > 1', 'text').passed);
  t.match(actual('body a.id equals open'), /for a text write `body has a.id equals open`$/);
});

t.test('malformed arithmetic is marked where it breaks', async (t) => {
  const problem = (text: string) => parse(text, 'allowed').problems[0];
  t.match(problem('body a * = 5'), ['SCENARIO_CHECK_EXPRESSION']);
  t.match(problem('body a b = 5'), ['SCENARIO_CHECK_EXPRESSION', 'b']);
  t.match(problem('body (a + b = 5'), ['SCENARIO_CHECK_EXPRESSION']);
  t.match(problem('body 1 + 1 = 2'), ['SCENARIO_CHECK_EXPRESSION']);
  t.match(problem('body a[x] = 2'), ['SCENARIO_CHECK_EXPRESSION', 'a[x]']);
  t.match(problem('body round(a, x) = 2'), ['SCENARIO_CHECK_EXPRESSION', 'x']);
});

t.test('the checks of the specification keep their meaning', async (t) => {
  t.equal(parseValid('body has data equals b').kind, 'equals');
  t.ok(holds('body has a equals count', { a: 'count', count: 1 }));
});

t.test('sums of decimals are exact, whatever their order', async () => {
  const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
  fc.assert(
    fc.property(fc.array(cents, { minLength: 1, maxLength: 30 }), (list) => {
      const toText = (value: number): string =>
        `${value < 0 ? '-' : ''}${Math.trunc(Math.abs(value) / 100)}.${String(Math.abs(value) % 100).padStart(2, '0')}`;
      const items = list.map((value) => ({ n: new Numeral(toText(value)) }));
      const total = new Numeral(toText(list.reduce((sum, value) => sum + value, 0)));
      return holds('body total equals sum(items.n)', { items, total });
    }),
  );
});

t.test('long numbers and long lists are added without delay, and quotients of elements are refused', async (t) => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({
    n: new Numeral(`0.${'3'.repeat(300)}${index % 10}`),
    m: index + 1,
  }));
  t.equal(judge('body sum(items.n) > 1', { items }).passed, true);
  t.match(judge('body sum(items.n * items.m) > 1', { items }), { passed: true });
  t.match(judge('body sum(items.n / items.m) > 1', { items }), { passed: false, actual: /cannot be divided/ });
});

t.test('two secrets that are displayed alike are not equal for that', async (t) => {
  const conceal = (text: string): string => text.replaceAll(/s3cret-\d/g, '[redacted]');
  const observation = { ...observeBody({ a: 's3cret-1', b: 's3cret-2', c: 's3cret-1' }), conceal };
  const equal = judgeCheck(parseValid('body a equals b'), observation);
  t.match(equal, { passed: false, actual: '"[redacted]" and "[redacted]"' });
  t.equal(judgeCheck(parseValid('body a != b'), observation).passed, true);
  t.equal(judgeCheck(parseValid('body a equals c'), observation).passed, true);
});
