import t from 'tap';
import { isCounted } from '../../src/check/kinds.ts';
import { check, holds, judged } from './samples.ts';

t.test('it is exact: 1 is not 10', async (t) => {
  t.ok(holds('body has n equals 1', { n: 1 }));
  t.ok(holds('body has n equals 1', { n: '1' }));
  t.notOk(holds('body has n equals 1', { n: 10 }));
  t.notOk(holds('body has n equals ok', { n: 'OK' }));
  t.notOk(holds('body has n equals ok', { n: 'ok ' }));
});

t.test('values that are no strings compare as compact JSON', async (t) => {
  t.ok(holds('body has n equals null', { n: null }));
  t.ok(holds('body has n equals {"a":[1,2]}', { n: { a: [1, 2] } }));
  t.notOk(holds('body has n equals {"a": [1, 2]}', { n: { a: [1, 2] } }));
});

t.test('spaces within the value count', async (t) => {
  t.ok(holds('body has n equals a  b', { n: 'a  b' }));
  t.notOk(holds('body has n equals a b', { n: 'a  b' }));
});

t.test('the outcome tells the value that was there', async (t) => {
  t.same(judged('body has n equals 1', { n: 10 }), {
    passed: false,
    expected: 'exactly 1',
    actual: '10',
    pointer: '/n',
  });
});

t.test('it is counted', async (t) => {
  t.ok(isCounted(check('body has n equals 1')));
});
