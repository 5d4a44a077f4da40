import t from 'tap';
import { judge, verdictOfFault } from '../../src/judge/judge.ts';
import type { Verdict } from '../../src/judge/verdict.ts';
import { evidenceOf, faultOf, scenarioOf } from './samples.ts';

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
  const verdict = judge(scenarioOf(...example), evidenceOf({ status: 200, body: list }));
  t.match(verdict, { result: 'passed', failure: undefined, assertionsEnforcedCount: 5, observedStatus: 200 });
  t.same(outcomes(verdict), [true, true, true, true, true, true]);
  t.same(verdict.notes, []);
});

t.test('a status mismatch says what came and what was expected, in the words of the specification', async (t) => {
  const verdict = judge(scenarioOf(...example), evidenceOf({ status: 404, body: { message: 'not found' } }));
  t.equal(verdict.result, 'failed');
  t.equal(verdict.failure?.kind, 'status_mismatch');
  t.equal(verdict.failure?.message, 'responder returned status 404 (codes=[200])');
  t.equal(verdict.observedStatus, 404);
});

t.test('body checks are judged and counted even when the status does not match', async (t) => {
  const verdict = judge(
    scenarioOf('status=200', 'body has data', 'body has x'),
    evidenceOf({ status: 500, body: list }),
  );
  t.same(outcomes(verdict), [false, true, false]);
  t.equal(verdict.assertionsEnforcedCount, 2);
  t.equal(verdict.failure?.kind, 'status_mismatch');
});

t.test('a false body check has the message of the specification, and the cure names the check', async (t) => {
  const scenario = scenarioOf('status=200', 'body has data', 'body has count matching ^[1-9][0-9]*$');
  const verdict = judge(scenario, evidenceOf({ status: 200, body: list }));
  t.equal(verdict.failure?.kind, 'body_mismatch');
  t.equal(
    verdict.failure?.message,
    "status matched but the response body did not satisfy the scenario's body assertion",
  );
  t.match(verdict.failure?.cure, 'line 20 `body has count matching ^[1-9][0-9]*$`');
  t.same(outcomes(verdict), [true, true, false]);
});

t.test('many false checks are named in short', async (t) => {
  const scenario = scenarioOf('body has a', 'body has b', 'body has c', 'body has d', 'body has e');
  const verdict = judge(scenario, evidenceOf({ status: 200, body: {} }));
  t.match(verdict.failure?.cure, 'line 20 `body has c` and 2 more');
});

t.test('a body that is no JSON, or none, fails every body check and says so', async (t) => {
  const scenario = scenarioOf('status=200', 'body has data');
  const page = judge(scenario, evidenceOf({ status: 200, raw: '<html>' }));
  t.equal(page.failure?.kind, 'body_mismatch');
  t.match(page.failure?.cure, 'not JSON (unexpected token <)');
  t.equal(page.assertionsEnforcedCount, 1);
  const empty = judge(scenario, evidenceOf({ status: 200 }));
  t.equal(empty.failure?.kind, 'body_mismatch');
  t.match(empty.failure?.cure, 'has no body');
});

t.test('a scenario with a status check only counts 0 and says that the status was applied', async (t) => {
  const passed = judge(scenarioOf('status=204'), evidenceOf({ status: 204 }));
  t.match(passed, { result: 'passed', assertionsEnforcedCount: 0 });
  t.match(passed.notes, [/status check was applied; assertions_enforced_count is 0/]);
  const failed = judge(scenarioOf('status=204'), evidenceOf({ status: 200, body: list }));
  t.match(failed, { result: 'failed', assertionsEnforcedCount: 0, failure: { kind: 'status_mismatch' } });
  t.match(failed.notes, [/status check was applied/]);
});

t.test('without a status check no status fails', async (t) => {
  const verdict = judge(scenarioOf('body has data'), evidenceOf({ status: 200, body: list }));
  t.match(verdict, { result: 'passed', assertionsEnforcedCount: 1, observedStatus: 200 });
  t.same(verdict.notes, []);
  const odd = judge(scenarioOf('body has data'), evidenceOf({ status: 500, body: list }));
  t.equal(odd.result, 'passed');
  t.match(odd.notes, [/no check names the status, so 500 was accepted/, /correlation id/]);
  const false404 = judge(scenarioOf('body has data'), evidenceOf({ status: 404, body: {} }));
  t.equal(false404.failure?.kind, 'body_mismatch');
  t.match(false404.notes, [/so 404 was accepted/, /API prefix/]);
});

t.test(
  'an unwanted 404 is answered with what it may mean, the missing prefix first, an expected one is not',
  async (t) => {
    const verdict = judge(scenarioOf('status=200'), evidenceOf({ status: 404 }));
    t.match(verdict.failure?.cure, 'base_url keeps only scheme, host and port');
    t.match(verdict.failure?.cure, /knows no such path, or no such thing .*API prefix.*exists in the target$/);
    t.match(verdict.failure?.cure, '(sent to http://app:3100/api/v2/document)');
    const wanted = judge(scenarioOf('status=404', 'body has message'), evidenceOf({ status: 404, body: {} }));
    t.equal(wanted.failure?.kind, 'body_mismatch');
    t.notMatch([wanted.failure?.cure, ...wanted.notes].join(), 'API prefix');
  },
);

t.test('an unwanted 401 or 403 is answered with the token', async (t) => {
  const bare = judge(scenarioOf('status=200'), evidenceOf({ status: 401 }));
  t.match(bare.failure?.cure, 'carried no Authorization');
  const sent = [['authorization', '[redacted]']] as const;
  const refused = judge(scenarioOf('status=200'), evidenceOf({ status: 401, sent }));
  t.match(refused.failure?.cure, 'has ended or belongs to another target');
  const forbidden = judge(scenarioOf('status=200'), evidenceOf({ status: 403, sent }));
  t.match(forbidden.failure?.cure, 'lacks the permission');
});

t.test('an unwanted redirect names its target, because it is not followed', async (t) => {
  const headers = [['Location', '/login']] as const;
  const verdict = judge(scenarioOf('status=200'), evidenceOf({ status: 302, headers }));
  t.match(verdict.failure?.cure, 'the target redirects to /login, and redirects are not followed');
  const nowhere = judge(scenarioOf('status=200'), evidenceOf({ status: 307, headers: [] }));
  t.match(nowhere.failure?.cure, 'the target redirects, and');
  const unchanged = judge(scenarioOf('status=200'), evidenceOf({ status: 304 }));
  t.notMatch(unchanged.failure?.cure, 'redirects');
});

t.test('any other status has a cure too', async (t) => {
  const verdict = judge(scenarioOf('status=200'), evidenceOf({ status: 201 }));
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
    const verdict = judge(scenarioOf(...example), evidenceOf({ fault: faultOf(kind) }));
    t.same(verdict.failure, { kind, message: `the words of ${kind}`, cure: `the cure of ${kind}` });
    t.match(verdict, { result: 'failed', assertionsEnforcedCount: 0, observedStatus: undefined });
    t.ok(outcomes(verdict).every((passed) => passed === undefined));
    t.equal(verdict.checks.filter(({ counted }) => counted).length, 5);
  });
}

t.test('a fault after the status line keeps the status and judges it, but no body that is not whole', async (t) => {
  const verdict = judge(scenarioOf(...example), evidenceOf({ status: 200, body: list, fault: faultOf('timeout') }));
  t.match(verdict, { result: 'failed', failure: { kind: 'timeout' }, observedStatus: 200, assertionsEnforcedCount: 0 });
  t.same(outcomes(verdict).slice(0, 2), [true, undefined]);
});

t.test('a cancelled run has no result', async (t) => {
  const verdict = judge(scenarioOf(...example), evidenceOf({ fault: faultOf('cancelled') }));
  t.equal(verdict.result, null);
  t.equal(verdict.failure, undefined);
  t.same(verdict.notes, ['the words of cancelled; the cure of cancelled']);
});

t.test('evidence without an answer and without a reason never passes', async (t) => {
  const verdict = judge(scenarioOf('status=200'), evidenceOf({}));
  t.match(verdict, { result: 'failed', failure: { kind: 'protocol_error' } });
});

t.test('a run without evidence gets its verdict from the fault alone', async (t) => {
  const lost = verdictOfFault(faultOf('executor_lost'));
  t.match(lost, { result: 'failed', failure: { kind: 'executor_lost' }, assertionsEnforcedCount: 0 });
  t.same(lost.checks, []);
  t.equal(verdictOfFault(faultOf('secret_missing'), scenarioOf(...example)).checks.length, 6);
});
