import t from 'tap';
import { isCounted, judgeCheck } from '../../src/check/kinds.ts';
import { answer, check, parsed } from './samples.ts';

t.test('the status is compared exactly', async (t) => {
  t.same(judgeCheck(check('status=200'), answer({}, 200)), { passed: true, expected: '200', actual: '200' });
  t.same(judgeCheck(check('status=200'), answer({}, 201)), { passed: false, expected: '200', actual: '201' });
});

t.test('it does not look at the body and is not counted', async (t) => {
  const observed = { status: 204, body: { kind: 'empty' } } as const;
  t.ok(judgeCheck(check('status=204'), observed).passed);
  t.notOk(isCounted(check('status=204')));
});

t.test('codes go from 100 to 599', async (t) => {
  for (const code of [100, 404, 599]) t.same(check(`status=${code}`), { kind: 'status', code });
  for (const written of ['99', '600', '20', '2000', '2xx', '-200', '', ' 200', '200 OK', '0200']) {
    t.same(parsed(`status=${written}`).told, [['SCENARIO_CHECK_STATUS', `status=${written}`]], written);
  }
});
