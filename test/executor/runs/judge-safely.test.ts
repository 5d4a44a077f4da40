import t from 'tap';
import { judgeSafely } from '../../../src/executor/runs/judge-safely.ts';
import type { Evidence } from '../../../src/run/evidence.ts';
import { parseScenario } from '../../../src/scenario/parse.ts';
import { findFailureCode } from '../failure-code.ts';
import { scenarioText } from '../test-project.ts';

const scenario = parseScenario(scenarioText('GET ${INGESTION_URL}/a', ['status=200', 'body has a']), {}, () => {});
const evidence: Evidence = {
  startedAtMs: 0,
  request: undefined,
  response: {
    status: 200,
    headers: [],
    setCookies: [],
    body: { kind: 'json', value: { a: 1 } },
    displayedBody: { text: '{"a":1}', sizeBytes: 7, truncated: false },
  },
  failure: undefined,
  timings: { connectMs: 0, firstByteMs: 1, bodyMs: 2, totalMs: 2 },
};

t.test('valid evidence is judged', async (t) => {
  t.ok(scenario);
  if (scenario) t.equal(judgeSafely(scenario, evidence, 'app:80').result, 'passed');
});

t.test('an error while judging fails the run with the reason, and lists its checks', async (t) => {
  if (!scenario) return;
  const verdict = judgeSafely(scenario, evidence, 'app:80', () => {
    throw new RangeError('Maximum call stack size exceeded');
  });
  t.match(verdict, {
    result: 'failed',
    failure: { kind: 'protocol_error', message: /app:80 could not be judged \(Maximum/ },
  });
  t.equal(findFailureCode(verdict.failure), 'EXECUTOR_JUDGING_FAILED');
  t.strictSame(
    verdict.checks.map(({ outcome }) => outcome),
    [undefined, undefined],
  );
});
