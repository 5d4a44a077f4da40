import t from 'tap';
import { proveSafely } from '../../src/executor/prove-safely.ts';
import { redactorOf } from '../../src/executor/redact.ts';
import { redactProof } from '../../src/executor/redact-proof.ts';
import { judge } from '../../src/judge/judge.ts';
import type { Proof } from '../../src/judge/prove/proof.ts';
import { evidenceOf, scenarioOf } from '../judge/samples.ts';

function proofOf(checks: readonly string[], body: { readonly [key: string]: string }): Proof {
  const evidence = evidenceOf({ status: 200, body });
  return proveSafely(judge(scenarioOf(...checks), evidence), evidence);
}

t.test('secrets are taken out of all that a proof tells', async (t) => {
  const secret = 'hunterTwoAndMore';
  const redactor = redactorOf([secret]);
  const proof = proofOf([`body has a containing ${secret}`, `body has b matching ${secret}|.*`], {
    a: `Bearer ${secret}`,
    b: 'x',
    kind: secret,
    note: `it is ${secret}`,
  });
  t.match(JSON.stringify(proof), secret, 'there was something to take out');
  const shown = redactProof(proof, redactor);
  t.notMatch(JSON.stringify(shown), secret);
  t.same(
    shown.unchecked.map(({ pointer, value, suggestion }) => [pointer, value, suggestion]),
    [
      ['status', '200', 'status=200'],
      ['/kind', '"[redacted]"', 'body has kind matching \\S'],
      ['/note', '"it is [redacted]"', 'body has note matching \\S'],
    ],
  );
  t.same(redactProof(shown, redactor), shown, 'nothing more to take out');
});

t.test('a short secret is not proposed as the text to compare with', async (t) => {
  const shown = redactProof(proofOf(['status=200'], { kind: 'abc', other: 'abcdef' }), redactorOf(['abc']));
  t.same(
    shown.unchecked.map(({ value, suggestion }) => [value, suggestion]),
    [
      ['"[redacted]"', 'body has kind matching \\S'],
      ['"abcdef"', 'body has other equals abcdef'],
    ],
  );
});

t.test('a part whose name is a secret is left out', async (t) => {
  const shown = redactProof(
    proofOf(['status=200'], { topsecretname: 'x', plain: 'ok' }),
    redactorOf(['topsecretname']),
  );
  t.same(
    shown.unchecked.map(({ pointer }) => pointer),
    ['/plain'],
  );
});

t.test('proving that breaks is told in the proof, and the verdict stands', async (t) => {
  const evidence = evidenceOf({ status: 200, body: { a: 1 } });
  const verdict = judge(scenarioOf('body has a'), evidence);
  const broken = proveSafely(verdict, evidence, () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  t.match(
    broken.problem,
    'proving broke (Maximum call stack size exceeded): the verdict of the run holds all the same',
  );
  t.equal(verdict.result, 'passed');
});
