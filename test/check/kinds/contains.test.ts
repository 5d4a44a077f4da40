import t from 'tap';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { holds, judge, parse, parseValid } from '../check-fixtures.ts';

t.test('the search is case-sensitive and uses the string form', async (t) => {
  t.ok(holds('body has a containing ell', { a: 'hello' }));
  t.notOk(holds('body has a containing ELL', { a: 'hello' }));
  t.ok(holds('body has a containing 1', { a: 210 }));
  t.ok(holds('body has a containing "b":1', { a: [{ b: 1 }] }));
  t.notOk(holds('body has a containing .*', { a: 'hello' }));
});

t.test('the outcome contains the searched text', async (t) => {
  t.same(judge('body has a containing x', { a: 'hello' }), {
    passed: false,
    expected: 'a value containing x',
    actual: '"hello"',
    pointer: '/a',
  });
});

t.test('a missing operand is refused', async (t) => {
  t.same(parse('body has a containing').problems, [['SCENARIO_CHECK_OPERAND_MISSING', 'containing']]);
});

t.test('quotation marks are part of the text, with a warning', async (t) => {
  const { check: contains, problems } = parse('body has a containing "ok"');
  t.same(problems, [['SCENARIO_CHECK_QUOTED', '"ok"']]);
  t.match(contains, { kind: 'contains', text: '"ok"' });
  t.same(parse('body has a containing "').problems, []);
});

t.test('the check counts as an enforced assertion', async (t) => {
  t.ok(getCheckKind(parseValid('body has a containing b')).counted);
});
