import t from 'tap';
import { getCheckKind } from '../../../src/check/kinds.ts';
import { emptyObservation } from '../../../src/check/observation.ts';
import { judgeCheck, observeBody, parse, parseValid } from '../check-fixtures.ts';

t.test('the status is compared exactly', async (t) => {
  t.same(judgeCheck(parseValid('status=200'), observeBody({}, 200)), { passed: true, expected: '200', actual: '200' });
  t.same(judgeCheck(parseValid('status=200'), observeBody({}, 201)), { passed: false, expected: '200', actual: '201' });
});

t.test('it does not look at the body and is not counted', async (t) => {
  t.ok(judgeCheck(parseValid('status=204'), { ...emptyObservation, status: 204 }).passed);
  t.notOk(getCheckKind(parseValid('status=204')).counted);
});

t.test('codes go from 100 to 599', async (t) => {
  for (const code of [100, 404, 599]) t.same(parseValid(`status=${code}`), { kind: 'status', expected: String(code) });
  for (const written of ['99', '600', '20', '2000', '6xx', '2XX', '2x', '-200', '', ' 200', '200 OK', '0200']) {
    t.same(parse(`status=${written}`).problems, [['SCENARIO_CHECK_STATUS', `status=${written}`]], written);
  }
});

t.test('a class holds for each of its codes and for no other', async (t) => {
  const accepts = (text: string, status: number): boolean =>
    judgeCheck(parseValid(text), observeBody({}, status)).passed;
  for (const status of [200, 204, 299]) t.ok(accepts('status=2xx', status));
  for (const status of [199, 300, 404, 500]) t.notOk(accepts('status=2xx', status));
  t.same(judgeCheck(parseValid('status=4xx'), observeBody({}, 500)), { passed: false, expected: '4xx', actual: '500' });
});
