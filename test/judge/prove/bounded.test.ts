/** What a proof may cost: its work is bounded, so that large bodies and many checks end (3, 70 and 150 ms measured). */
import t from 'tap';
import type { Json } from '../../../src/check/json/json.ts';
import { judge } from '../../../src/judge/judge.ts';
import type { Proof } from '../../../src/judge/prove/proof.ts';
import { prove } from '../../../src/judge/prove/prove.ts';
import { toObservation } from '../../../src/judge/to-observation.ts';
import { createEvidence, createScenario } from '../evidence-fixtures.ts';

function proveChecks(checks: readonly string[], body: Json): Proof {
  const evidence = createEvidence({ status: 200, body });
  const verdict = judge(createScenario(...checks), evidence);
  return prove(verdict, toObservation(evidence));
}

const items = Array.from({ length: 90_000 }, (_, id) => ({
  id,
  name: `name ${id}`,
  tags: [1, 2, 3],
  text: 'x'.repeat(60),
}));
const big = { data: items, count: items.length };
const thousand = Array.from({ length: 999 }, (_, index) => `body has data[${index * 90}].id equals ${index * 90}`);

t.test('six checks of 10 kB are proven', async (t) => {
  const body = { data: items.slice(0, 80), count: 80, state: 'ok' };
  const checks = ['status=200', 'body has data', 'body has count equals 80', 'body has data[0].id equals 0'];
  const proof = proveChecks([...checks, 'body has data[3].name containing name', 'body has state equals ok'], body);
  t.same(
    proof.checks.map(({ verdict }) => verdict),
    ['proven', 'covered', 'proven', 'proven', 'proven', 'proven'],
  );
});

t.test('a thousand checks of 10 MB are all proven within bounds', async (t) => {
  const proof = proveChecks(['body has data', ...thousand], big);
  t.equal(proof.checks.filter(({ verdict }) => verdict === 'proven').length, 999);
});

t.test('checks that read all of 10 MB do not keep the executor busy', async (t) => {
  const reading = Array.from({ length: 20 }, (_, id) => `body has data containing "id":${id},`);
  const cases: readonly (readonly [readonly string[], Json])[] = [
    [reading, big],
    [[...thousand, 'body has data matching "id":5,.*"id":7,'], big],
    [['body has t matching x$', 'body has t containing xx'], { t: 'x'.repeat(10_000_000) }],
  ];
  for (const [checks, body] of cases) {
    const proof = proveChecks(checks, body);
    t.equal(proof.checks.length, checks.length);
    for (const { verdict, advice } of proof.checks) {
      if (verdict === 'not_tried') t.match(advice, 'took all the work of one proof');
    }
  }
});
