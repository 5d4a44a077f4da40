import t from 'tap';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { holds, judge, parseValid } from '../check-fixtures.ts';

t.test('it is exact: 1 is not 10', async (t) => {
  t.ok(holds('body has n equals 1', { n: 1 }));
  t.ok(holds('body has n equals 1', { n: '1' }));
  t.notOk(holds('body has n equals 1', { n: 10 }));
  t.notOk(holds('body has n equals ok', { n: 'OK' }));
  t.notOk(holds('body has n equals ok', { n: 'ok ' }));
});

t.test('values that are not strings compare as compact JSON', async (t) => {
  t.ok(holds('body has n equals null', { n: null }));
  t.ok(holds('body has n equals {"a":[1,2]}', { n: { a: [1, 2] } }));
  t.notOk(holds('body has n equals {"a": [1, 2]}', { n: { a: [1, 2] } }));
});

t.test('spaces within the value are significant', async (t) => {
  t.ok(holds('body has n equals a  b', { n: 'a  b' }));
  t.notOk(holds('body has n equals a b', { n: 'a  b' }));
});

t.test('the outcome contains the actual value', async (t) => {
  t.same(judge('body has n equals 1', { n: 10 }), {
    passed: false,
    expected: 'exactly 1',
    actual: '10',
    pointer: '/n',
  });
});

t.test('the check counts as an enforced assertion', async (t) => {
  t.ok(getCheckKind(parseValid('body has n equals 1')).counted);
});
