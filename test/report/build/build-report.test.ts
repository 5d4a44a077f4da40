import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import t from 'tap';
import { ReportSchema } from '../../../src/contract/report-schema.ts';
import { createFailureVerdict, judge } from '../../../src/judge/judge.ts';
import { buildReport } from '../../../src/report/build/build-report.ts';
import { summarizeFailure } from '../../../src/report/summarize-failure.ts';
import { createEvidence, createFailure, createScenario } from '../../judge/evidence-fixtures.ts';
import { broken, cancelled, failed, passed, request, sampleReport } from '../report-fixtures.ts';

const ajv = new Ajv({ strict: false });
formats.default(ajv);
const isReport = ajv.compile(ReportSchema);

t.test('every kind of report conforms to the wire schema', async (t) => {
  for (const report of [passed(), failed(), broken(), cancelled()]) {
    t.ok(isReport(JSON.parse(JSON.stringify(report))), JSON.stringify(isReport.errors));
  }
});

t.test('a report carries the fields of the specification under their names', async (t) => {
  t.match(failed(), {
    report_version: 1,
    run_id: '20261120T143012345',
    correlation_id: /^tr-20261120T143012345-/,
    result: 'failed',
    assertions_enforced_count: 2,
    observed_status: 200,
    failure: {
      kind: 'body_mismatch',
      message: "status matched but the response body did not satisfy the scenario's body assertion",
    },
  });
});

t.test('failed_checks contains each failing check with its position, expected and actual', async (t) => {
  const { failed_checks } = failed();
  t.equal(failed_checks.length, 1);
  t.match(failed_checks[0], {
    text: 'body has count matching ^[1-9][0-9]*$',
    line: 20,
    column: 3,
    expected: 'a value matching ^[1-9][0-9]*$',
    actual: '0',
    pointer: '/count',
  });
});

t.test('checks lists all with kind, outcome and whether they count', async (t) => {
  t.match(
    failed().checks.map(({ kind, outcome, counted }) => [kind, outcome, counted]),
    [
      ['status', 'passed', false],
      ['exists', 'passed', true],
      ['matches', 'failed', true],
    ],
  );
  t.same(
    broken().checks.map(({ outcome }) => outcome),
    ['not_judged', 'not_judged', 'not_judged'],
  );
});

t.test('the exchange contains request and response', async (t) => {
  const { exchange } = failed();
  t.match(exchange.request, { method: 'GET', url: 'http://app:3100/api/v2/document', body: null });
  t.match(exchange.response, { status: 200, headers: [['content-type', 'application/json']] });
  t.match(exchange.response?.body, { text: /"count":0/, truncated: false });
  t.equal(broken().exchange.response, null);
});

t.test('a report has the times of its run and the duration of each phase', async (t) => {
  const report = failed();
  t.equal(report.started_at, '2026-11-20T14:30:12.345Z');
  t.equal(report.finished_at, '2026-11-20T14:30:12.376Z');
  t.same(report.timings, {
    queued_ms: 2,
    connect_ms: 1.25,
    first_byte_ms: 30.5,
    body_ms: 31,
    total_ms: 31.5,
    evidence_ms: null,
  });
});

t.test('timings are never negative, rounded to microseconds, and null where not reached', async (t) => {
  const scenario = createScenario('status=200');
  const timings = { connectMs: undefined, firstByteMs: -0.5, bodyMs: 1.23456789, totalMs: 2 };
  const evidence = { ...createEvidence({ status: 200 }), timings };
  const report = buildReport(request, scenario, judge(scenario, evidence), evidence, '0.4.0');
  t.same(report.timings, {
    queued_ms: 2,
    connect_ms: null,
    first_byte_ms: 0,
    body_ms: 1.235,
    total_ms: 2,
    evidence_ms: null,
  });
});

t.test('a run whose scenario could not be parsed still has a report', async (t) => {
  const verdict = createFailureVerdict(createFailure('executor_lost'));
  const nothing = { ...createEvidence({}), request: undefined };
  const report = buildReport(request, undefined, verdict, nothing, '0.4.0');
  t.match(report, { scenario: { id: 'RT-GET-document', title: 'RT-GET-document', revision: 3, tags: [] } });
  t.match(report, { result: 'failed', observed_status: null, exchange: { request: null, response: null } });
  t.ok(isReport(report));
});

t.test('a body that is not text is reported by its size', async (t) => {
  const scenario = createScenario('status=200');
  const plain = createEvidence({ status: 200, raw: 'x' });
  const displayedBody = { text: undefined, sizeBytes: 7, truncated: true };
  const evidence = { ...plain, response: plain.response && { ...plain.response, displayedBody } };
  const report = buildReport(request, scenario, judge(scenario, evidence), evidence, '0.4.0');
  t.same(report.exchange.response?.body, { text: null, size_bytes: 7, truncated: true });
});

t.test('checks of a body that came with a wrong status are marked as its consequence', async (t) => {
  const checks = ['body has data', 'status=200', 'body has error'];
  const report = sampleReport(checks, { status: 500, body: { error: 'x' } });
  t.equal(report.failure?.message, 'responder returned status 500 (codes=[200])');
  t.equal(report.assertions_enforced_count, 2);
  t.same(
    report.checks.map(({ text, outcome, follows_from_status: follows }) => [text, outcome, follows]),
    [
      ['body has data', 'failed', true],
      ['status=200', 'failed', undefined],
      ['body has error', 'passed', undefined],
    ],
  );
  t.match(report.failed_checks, [{ text: 'body has data', follows_from_status: true }, { text: 'status=200' }]);
  t.equal(summarizeFailure(report), 'status=200: expected 200, got 500 (1 check follows from it)');
  const { failed_checks: alone } = sampleReport(checks, { status: 200, body: {} });
  t.notOk(alone.some((check) => 'follows_from_status' in check));
});
