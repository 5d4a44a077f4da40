import t from 'tap';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { emptyObservation } from '../../../src/check/observation.ts';
import { holds, judge, judgeCheck, parseValid } from '../check-fixtures.ts';

t.test('a field exists whatever its value, including null', async (t) => {
  for (const value of [null, false, 0, '', [], {}])
    t.ok(holds('body has data', { data: value }), JSON.stringify(value));
});

t.test('the outcome describes the value without printing all of it', async (t) => {
  const actual = (value: Parameters<typeof judge>[1]): string => judge('body has a', { a: value }).actual;
  t.equal(actual(null), 'null');
  t.equal(actual(3.5), '3.5');
  t.equal(actual('x\n'), '"x\\n"');
  t.equal(actual([1, 2]), 'a list of 2');
  t.equal(actual({ b: 1 }), 'an object with 1 field');
  t.equal(actual({}), 'an object with 0 fields');
  t.equal(actual('y'.repeat(1000)).length, '"…" (1000 characters)'.length + 200);
});

t.test('a missing field is reported with the existing ones', async (t) => {
  t.same(judge('body has totalPages', { data: [], count: 0 }), {
    passed: false,
    expected: 'a field `totalPages`',
    actual: 'no field `totalPages`; there are: data, count',
  });
});

t.test('inherited properties are not fields', async (t) => {
  for (const name of ['constructor', 'toString', '__proto__', 'length']) {
    t.notOk(holds(`body has ${name}`, {}), name);
    t.notOk(holds(`body has data.${name}`, { data: [] }), name);
  }
  t.ok(holds('body has __proto__', JSON.parse('{"__proto__": 1}')));
});

t.test('an empty body and one that is not JSON fail with a reason', async (t) => {
  const empty = judgeCheck(parseValid('body has a'), emptyObservation);
  t.same(empty, { passed: false, expected: 'a field `a`', actual: 'an empty body' });
  const html = { kind: 'not_json', problem: 'unexpected `<`', excerpt: '<html>' } as const;
  t.equal(
    judgeCheck(parseValid('body has a'), { ...emptyObservation, body: html }).actual,
    'a body that is not JSON: unexpected `<`; it begins with "<html>"',
  );
});

t.test('the check counts as an enforced assertion', async (t) => {
  t.ok(getCheckKind(parseValid('body has a')).counted);
});
