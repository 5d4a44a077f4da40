import t from 'tap';
import { isCounted, judgeCheck } from '../../src/check/kinds.ts';
import { check, holds, judged } from './samples.ts';

t.test('a field is there whatever its value, null too', async (t) => {
  for (const value of [null, false, 0, '', [], {}])
    t.ok(holds('body has data', { data: value }), JSON.stringify(value));
});

t.test('it says what the value is without printing it whole', async (t) => {
  const actual = (value: Parameters<typeof judged>[1]): string => judged('body has a', { a: value }).actual;
  t.equal(actual(null), 'null');
  t.equal(actual(3.5), '3.5');
  t.equal(actual('x\n'), '"x\\n"');
  t.equal(actual([1, 2]), 'a list of 2');
  t.equal(actual({ b: 1 }), 'an object with 1 field');
  t.equal(actual({}), 'an object with 0 fields');
  t.equal(actual('y'.repeat(1000)).length, '"…" (1000 characters)'.length + 200);
});

t.test('a field that is missing is told with those that are there', async (t) => {
  t.same(judged('body has totalPages', { data: [], count: 0 }), {
    passed: false,
    expected: 'a field `totalPages`',
    actual: 'no field `totalPages`; there are: data, count',
  });
});

t.test('names of the runtime are no fields', async (t) => {
  for (const name of ['constructor', 'toString', '__proto__', 'length']) {
    t.notOk(holds(`body has ${name}`, {}), name);
    t.notOk(holds(`body has data.${name}`, { data: [] }), name);
  }
  t.ok(holds('body has __proto__', JSON.parse('{"__proto__": 1}')));
});

t.test('a body that is none, or is no JSON, fails and says so', async (t) => {
  const empty = judgeCheck(check('body has a'), { status: 200, body: { kind: 'empty' } });
  t.same(empty, { passed: false, expected: 'a field `a`', actual: 'an empty body' });
  const html = { kind: 'not_json', problem: 'unexpected `<`', excerpt: '<html>' } as const;
  t.equal(
    judgeCheck(check('body has a'), { status: 200, body: html }).actual,
    'a body that is not JSON: unexpected `<`; it begins with "<html>"',
  );
});

t.test('it is counted', async (t) => {
  t.ok(isCounted(check('body has a')));
});
