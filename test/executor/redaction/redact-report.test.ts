import t from 'tap';
import { redactProof } from '../../../src/executor/redaction/redact-report.ts';
import { createRedactor } from '../../../src/executor/redaction/redactor.ts';
import { proveSafely } from '../../../src/executor/runs/judge-safely.ts';
import { judge } from '../../../src/judge/judge.ts';
import type { Proof } from '../../../src/judge/prove/proof.ts';
import { createEvidence, createScenario } from '../../judge/evidence-fixtures.ts';

function createProof(checks: readonly string[], body: { readonly [key: string]: string }): Proof {
  const evidence = createEvidence({ status: 200, body });
  return proveSafely(judge(createScenario(...checks), evidence), evidence);
}

t.test('secrets are removed from every text of a proof', async (t) => {
  const secret = 'hunterTwoAndMore';
  const redactor = createRedactor([secret]);
  const proof = createProof([`body has a containing ${secret}`, `body has b matching ${secret}|.*`], {
    a: `Bearer ${secret}`,
    b: 'x',
    kind: secret,
    note: `it is ${secret}`,
  });
  t.match(JSON.stringify(proof), secret, 'there was something to take out');
  const redactedProof = redactProof(proof, redactor);
  t.notMatch(JSON.stringify(redactedProof), secret);
  t.same(
    redactedProof.unchecked.map(({ pointer, value, suggestion }) => [pointer, value, suggestion]),
    [
      ['status', '200', 'status=200'],
      ['/kind', '"[redacted]"', 'body has kind matching \\S'],
      ['/note', '"it is [redacted]"', 'body has note matching \\S'],
    ],
  );
  t.same(redactProof(redactedProof, redactor), redactedProof, 'nothing more to take out');
});

t.test('a short secret is not suggested as an expected text', async (t) => {
  const redactedProof = redactProof(
    createProof(['status=200'], { kind: 'abc', other: 'abcdef' }),
    createRedactor(['abc']),
  );
  t.same(
    redactedProof.unchecked.map(({ value, suggestion }) => [value, suggestion]),
    [
      ['"[redacted]"', 'body has kind matching \\S'],
      ['"abcdef"', 'body has other equals abcdef'],
    ],
  );
});

t.test('a part whose name is a secret is omitted', async (t) => {
  const redactedProof = redactProof(
    createProof(['status=200'], { topsecretname: 'x', plain: 'ok' }),
    createRedactor(['topsecretname']),
  );
  t.same(
    redactedProof.unchecked.map(({ pointer }) => pointer),
    ['/plain'],
  );
});

t.test('an error while proving is reported in the proof, and the verdict remains', async (t) => {
  const evidence = createEvidence({ status: 200, body: { a: 1 } });
  const verdict = judge(createScenario('body has a'), evidence);
  const failedProof = proveSafely(verdict, evidence, () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  t.match(
    failedProof.problem,
    'proving failed (Maximum call stack size exceeded); the verdict of the run is still valid',
  );
  t.equal(verdict.result, 'passed');
});
