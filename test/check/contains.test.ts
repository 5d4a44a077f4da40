import t from 'tap';
import { isCounted } from '../../src/check/kinds.ts';
import { check, holds, judged, parsed } from './samples.ts';

t.test('the text is looked for in the string form, case told apart', async (t) => {
  t.ok(holds('body has a containing ell', { a: 'hello' }));
  t.notOk(holds('body has a containing ELL', { a: 'hello' }));
  t.ok(holds('body has a containing 1', { a: 210 }));
  t.ok(holds('body has a containing "b":1', { a: [{ b: 1 }] }));
  t.notOk(holds('body has a containing .*', { a: 'hello' }));
});

t.test('the outcome tells what was looked for', async (t) => {
  t.same(judged('body has a containing x', { a: 'hello' }), {
    passed: false,
    expected: 'a value containing x',
    actual: '"hello"',
    pointer: '/a',
  });
});

t.test('nothing to look for is refused', async (t) => {
  t.same(parsed('body has a containing').told, [['SCENARIO_CHECK_OPERAND_MISSING', 'containing']]);
});

t.test('marks around the text are part of it, and a warning says so', async (t) => {
  const { check: made, told } = parsed('body has a containing "ok"');
  t.same(told, [['SCENARIO_CHECK_QUOTED', '"ok"']]);
  t.match(made, { kind: 'contains', text: '"ok"' });
  t.same(parsed('body has a containing "').told, []);
});

t.test('it is counted', async (t) => {
  t.ok(isCounted(check('body has a containing b')));
});
