/** What a proof may cost. The limits of time are far above what is measured on a quiet machine, named beside them. */
import t from 'tap';
import type { Json } from '../../../src/check/observed.ts';
import { judge } from '../../../src/judge/judge.ts';
import type { Proof } from '../../../src/judge/prove/proof.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import { evidenceOf, scenarioOf } from '../samples.ts';

function timed(checks: readonly string[], body: Json): { proof: Proof; ms: number } {
  const evidence = evidenceOf({ status: 200, body });
  const verdict = judge(scenarioOf(...checks), evidence);
  const start = performance.now();
  const proof = prove(verdict, evidence.response);
  return { proof, ms: performance.now() - start };
}

const items = Array.from({ length: 90_000 }, (_, id) => ({
  id,
  name: `name ${id}`,
  tags: [1, 2, 3],
  text: 'x'.repeat(60),
}));
const big = { data: items, count: items.length };
const thousand = Array.from({ length: 999 }, (_, index) => `body has data[${index * 90}].id equals ${index * 90}`);

t.test('six checks of 10 kB are proven in a few milliseconds', async (t) => {
  const body = { data: items.slice(0, 80), count: 80, state: 'ok' };
  const checks = ['status=200', 'body has data', 'body has count equals 80', 'body has data[0].id equals 0'];
  const { proof, ms } = timed([...checks, 'body has data[3].name containing name', 'body has state equals ok'], body);
  t.same(
    proof.checks.map(({ verdict }) => verdict),
    ['proven', 'covered', 'proven', 'proven', 'proven', 'proven'],
  );
  t.ok(ms < 500, `${ms} ms, 3 ms measured`);
});

t.test('a thousand checks of 10 MB are all proven within bounds', async (t) => {
  const { proof, ms } = timed(['body has data', ...thousand], big);
  t.equal(proof.checks.filter(({ verdict }) => verdict === 'proven').length, 999);
  t.ok(ms < 3000, `${ms} ms, 70 ms measured`);
});

t.test('checks that read all of 10 MB do not keep the executor busy', async (t) => {
  const reading = Array.from({ length: 20 }, (_, id) => `body has data containing "id":${id},`);
  const cases: readonly (readonly [readonly string[], Json])[] = [
    [reading, big],
    [[...thousand, 'body has data matching "id":5,.*"id":7,'], big],
    [['body has t matching x$', 'body has t containing xx'], { t: 'x'.repeat(10_000_000) }],
  ];
  for (const [checks, body] of cases) {
    const { proof, ms } = timed(checks, body);
    t.equal(proof.checks.length, checks.length);
    t.ok(ms < 5000, `${ms} ms, 150 ms measured`);
    for (const { verdict, advice } of proof.checks) {
      if (verdict === 'not_tried') t.match(advice, 'took all the work of one proof');
    }
  }
});
