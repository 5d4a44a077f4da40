import t from 'tap';
import { createFailureVerdict, judge } from '../../src/judge/judge.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import { createEvidence, createFailure, createScenario } from './evidence-fixtures.ts';

const list = { data: [], count: 0, currentPage: 1, perPage: 20, totalPages: 0 };
const example = [
  'status=200',
  'body has data',
  'body has count matching ^[0-9]+$',
  'body has currentPage matching ^[1-9][0-9]*$',
  'body has perPage matching ^[1-9][0-9]*$',
  'body has totalPages matching ^[0-9]+$',
];

function outcomes(verdict: Verdict): (boolean | undefined)[] {
  return verdict.checks.map(({ outcome }) => outcome?.passed);
}

t.test('the example of the specification passes with 5 enforced assertions', async (t) => {
  const verdict = judge(createScenario(...example), createEvidence({ status: 200, body: list }));
  t.match(verdict, { result: 'passed', failure: undefined, assertionsEnforcedCount: 5, observedStatus: 200 });
  t.same(outcomes(verdict), [true, true, true, true, true, true]);
  t.same(verdict.notes, []);
});

t.test('a status mismatch says what came and what was expected, in the words of the specification', async (t) => {
  const verdict = judge(createScenario(...example), createEvidence({ status: 404, body: { message: 'not found' } }));
  t.equal(verdict.result, 'failed');
  t.equal(verdict.failure?.kind, 'status_mismatch');
  t.equal(verdict.failure?.message, 'responder returned status 404 (codes=[200])');
  t.equal(verdict.observedStatus, 404);
});

t.test('body checks are judged and counted even when the status does not match', async (t) => {
  const verdict = judge(
    createScenario('status=200', 'body has data', 'body has x'),
    createEvidence({ status: 500, body: list }),
  );
  t.same(outcomes(verdict), [false, true, false]);
  t.equal(verdict.assertionsEnforcedCount, 2);
  t.equal(verdict.failure?.kind, 'status_mismatch');
});

t.test('a failing body check has the message of the specification, and the fix names the check', async (t) => {
  const scenario = createScenario('status=200', 'body has data', 'body has count matching ^[1-9][0-9]*$');
  const verdict = judge(scenario, createEvidence({ status: 200, body: list }));
  t.equal(verdict.failure?.kind, 'body_mismatch');
  t.equal(
    verdict.failure?.message,
    "status matched but the response body did not satisfy the scenario's body assertion",
  );
  t.match(verdict.failure?.cure, 'line 20 `body has count matching ^[1-9][0-9]*$`');
  t.same(outcomes(verdict), [true, true, false]);
});

t.test('a long list of failing checks is shortened', async (t) => {
  const scenario = createScenario('body has a', 'body has b', 'body has c', 'body has d', 'body has e');
  const verdict = judge(scenario, createEvidence({ status: 200, body: {} }));
  t.match(verdict.failure?.cure, 'line 20 `body has c` and 2 more');
});

t.test('an empty body and one that is not JSON fail every body check with a reason', async (t) => {
  const scenario = createScenario('status=200', 'body has data');
  const page = judge(scenario, createEvidence({ status: 200, raw: '<html>' }));
  t.equal(page.failure?.kind, 'body_mismatch');
  t.match(page.failure?.cure, 'not JSON (unexpected token <)');
  t.equal(page.assertionsEnforcedCount, 1);
  const empty = judge(scenario, createEvidence({ status: 200 }));
  t.equal(empty.failure?.kind, 'body_mismatch');
  t.match(empty.failure?.cure, 'has no body');
});

t.test('a scenario with only a status check counts 0 and notes that the status was applied', async (t) => {
  const passed = judge(createScenario('status=204'), createEvidence({ status: 204 }));
  t.match(passed, { result: 'passed', assertionsEnforcedCount: 0 });
  t.match(passed.notes, [/status check was applied; assertions_enforced_count is 0/]);
  const failed = judge(createScenario('status=204'), createEvidence({ status: 200, body: list }));
  t.match(failed, { result: 'failed', assertionsEnforcedCount: 0, failure: { kind: 'status_mismatch' } });
  t.match(failed.notes, [/status check was applied/]);
});

t.test('without a status check every status is accepted', async (t) => {
  const verdict = judge(createScenario('body has data'), createEvidence({ status: 200, body: list }));
  t.match(verdict, { result: 'passed', assertionsEnforcedCount: 1, observedStatus: 200 });
  t.same(verdict.notes, []);
  const failing = judge(createScenario('body has data'), createEvidence({ status: 500, body: list }));
  t.equal(failing.result, 'passed');
  t.match(failing.notes, [/no check names the status, so 500 was accepted/, /correlation id/]);
  const false404 = judge(createScenario('body has data'), createEvidence({ status: 404, body: {} }));
  t.equal(false404.failure?.kind, 'body_mismatch');
  t.match(false404.notes, [/so 404 was accepted/, /API prefix/]);
});

t.test('an unexpected 404 is explained, the missing prefix first; an expected one is not', async (t) => {
  const verdict = judge(createScenario('status=200'), createEvidence({ status: 404 }));
  t.match(verdict.failure?.cure, 'base_url keeps only scheme, host and port');
  t.match(verdict.failure?.cure, /has no such path or resource .*API prefix.*exists in the target$/);
  t.match(verdict.failure?.cure, '(sent to http://app:3100/api/v2/document)');
  const expected = judge(createScenario('status=404', 'body has message'), createEvidence({ status: 404, body: {} }));
  t.equal(expected.failure?.kind, 'body_mismatch');
  t.notMatch([expected.failure?.cure, ...expected.notes].join(), 'API prefix');
});

t.test('an unexpected 401 or 403 is explained by the token', async (t) => {
  const bare = judge(createScenario('status=200'), createEvidence({ status: 401 }));
  t.match(bare.failure?.cure, 'carried no Authorization');
  const sent = [['authorization', '[redacted]']] as const;
  const refused = judge(createScenario('status=200'), createEvidence({ status: 401, sent }));
  t.match(refused.failure?.cure, 'has ended or belongs to another target');
  const forbidden = judge(createScenario('status=200'), createEvidence({ status: 403, sent }));
  t.match(forbidden.failure?.cure, 'lacks the permission');
});

t.test('an unexpected redirect is explained with its target, because it is not followed', async (t) => {
  const headers = [['Location', '/login']] as const;
  const verdict = judge(createScenario('status=200'), createEvidence({ status: 302, headers }));
  t.match(verdict.failure?.cure, 'the target redirects to /login, and redirects are not followed');
  const nowhere = judge(createScenario('status=200'), createEvidence({ status: 307, headers: [] }));
  t.match(nowhere.failure?.cure, 'the target redirects, and');
  const unchanged = judge(createScenario('status=200'), createEvidence({ status: 304 }));
  t.notMatch(unchanged.failure?.cure, 'redirects');
});

t.test('any other status has a fix too', async (t) => {
  const verdict = judge(createScenario('status=200'), createEvidence({ status: 201 }));
  t.match(verdict.failure?.cure, 'write `status=201`');
});

for (const kind of [
  'timeout',
  'target_unreachable',
  'protocol_error',
  'response_too_large',
  'secret_missing',
] as const) {
  t.test(`${kind} fails with the fault's own words, and nothing is judged`, async (t) => {
    const verdict = judge(createScenario(...example), createEvidence({ fault: createFailure(kind) }));
    t.same(verdict.failure, { kind, message: `the words of ${kind}`, cure: `the cure of ${kind}` });
    t.match(verdict, { result: 'failed', assertionsEnforcedCount: 0, observedStatus: undefined });
    t.ok(outcomes(verdict).every((passed) => passed === undefined));
    t.equal(verdict.checks.filter(({ counted }) => counted).length, 5);
  });
}

t.test('after a failure the received status is judged, an incomplete body is not', async (t) => {
  const verdict = judge(
    createScenario(...example),
    createEvidence({ status: 200, body: list, fault: createFailure('timeout') }),
  );
  t.match(verdict, { result: 'failed', failure: { kind: 'timeout' }, observedStatus: 200, assertionsEnforcedCount: 0 });
  t.same(outcomes(verdict).slice(0, 2), [true, undefined]);
});

t.test('a cancelled run has no result', async (t) => {
  const verdict = judge(createScenario(...example), createEvidence({ fault: createFailure('cancelled') }));
  t.equal(verdict.result, null);
  t.equal(verdict.failure, undefined);
  t.same(verdict.notes, ['the words of cancelled; the cure of cancelled']);
});

t.test('evidence without a response and without a failure never passes', async (t) => {
  const verdict = judge(createScenario('status=200'), createEvidence({}));
  t.match(verdict, { result: 'failed', failure: { kind: 'protocol_error' } });
});

t.test('a run without evidence gets its verdict from the failure alone', async (t) => {
  const lost = createFailureVerdict(createFailure('executor_lost'));
  t.match(lost, { result: 'failed', failure: { kind: 'executor_lost' }, assertionsEnforcedCount: 0 });
  t.same(lost.checks, []);
  t.equal(createFailureVerdict(createFailure('secret_missing'), createScenario(...example)).checks.length, 6);
});

t.test('a server that answers plain HTTP on its TLS port is recognized', async (t) => {
  const raw = '<center>The plain HTTP request was sent to HTTPS port</center>';
  const verdict = judge(createScenario('status=200'), createEvidence({ status: 400, raw }));
  t.match(verdict.failure, { kind: 'status_mismatch', cure: 'write https:// in `targets.http.base_url`' });
  const other = judge(createScenario('status=200'), createEvidence({ status: 400, raw: 'bad request' }));
  t.notMatch(other.failure?.cure, 'https');
});
