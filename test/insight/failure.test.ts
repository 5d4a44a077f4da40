import t from 'tap';
import {
  describeExpiredFailure,
  describeFailure,
  normalizeOutcome,
  toFingerprintText,
} from '../../src/insight/failure.ts';
import type { Report, ReportCheck } from '../../src/report/report.ts';

const lease = { run_id: '20261120T143012345', correlation_id: 'tr-20261120T143012345-abcdef', scenario_id: 'RT-LIST' };

function check(changes: Partial<ReportCheck>): ReportCheck {
  return {
    ...{ text: 'body has count equals 4', kind: 'equals', line: 19, column: 3, outcome: 'failed', counted: true },
    ...{ looks_at: 'response', expected: '4', actual: '3', pointer: '/count' },
    ...changes,
  };
}

type FailedReport = Pick<Report, 'result' | 'scenario' | 'failure' | 'checks'>;

function report(checks: readonly ReportCheck[], changes: Partial<FailedReport> = {}): FailedReport {
  const scenario = { id: lease.scenario_id, title: '', layer: '', tags: [], revision: 1 };
  const failure = { kind: 'body_mismatch', message: 'no', cure: '' };
  return { result: 'failed', scenario, failure, checks: [...checks], ...changes };
}

function fingerprint(failed: FailedReport): string | undefined {
  const failure = describeFailure(failed);
  return failure && toFingerprintText(failure);
}

t.test('identifiers, times and numbers do not distinguish outcomes', async (t) => {
  for (const [text, expected] of [
    ['3', '#'],
    ['-1.5e10', '#'],
    ['"order 4711 of user usr_8fK2x91Q"', '"order # of user usr_#"'],
    ['550e8400-e29b-41d4-a716-446655440000', '#'],
    ['created 2026-11-20T14:30:12.345Z', 'created #'],
    ['on 2026-11-20 at 14:30', 'on # at #'],
    ['timed out after 30 s', 'timed out after #'],
    ['timed out after 1500ms', 'timed out after #'],
    ['tr-20261120T143012345-a1B2c3 was not seen', '# was not seen'],
    ['deadbeef0123456789', '#'],
    ['  two\n lines ', 'two lines'],
    ['null', 'null'],
    ['not found', 'not found'],
  ] as const)
    t.equal(normalizeOutcome(text), expected, text);
  t.equal(normalizeOutcome('x'.repeat(5000)).length, 160);
});

t.test('an outcome is normalized in linear time', async (t) => {
  for (const text of ['a'.repeat(100_000), '1'.repeat(100_000), '1,'.repeat(50_000), ' '.repeat(100_000)])
    t.ok(normalizeOutcome(text).length <= 160);
});

t.test(
  'the same check with another number is the same failure; another text, check, step or scenario is not',
  async (t) => {
    const first = fingerprint(report([check({})]));
    t.equal(
      fingerprint(report([check({ actual: '7', line: 25 })])),
      first,
      'also when the scenario was edited above it',
    );
    t.equal(fingerprint(report([check({}), check({ text: 'body has id' })])), first, 'the first failing check decides');
    t.not(fingerprint(report([check({ actual: 'null' })])), first);
    t.not(fingerprint(report([check({ text: 'body has count equals 5' })])), first);
    t.not(fingerprint(report([check({ step: 'create' })])), first);
    t.not(fingerprint(report([check({})], { scenario: { ...report([]).scenario, id: 'RT-OTHER' } })), first);
  },
);

t.test('another status is another failure, and checks that follow from a status are none', async (t) => {
  const wrongStatus = (actual: string) =>
    report([check({ follows_from_status: true }), check({ text: 'status=200', kind: 'status', actual })]);
  t.match(describeFailure(wrongStatus('503')), { check: 'status=200', outcome: '503' });
  t.not(fingerprint(wrongStatus('503')), fingerprint(wrongStatus('404')));
});

t.test('a run that could not be judged is grouped by why, and one that did not fail is not grouped', async (t) => {
  const failure = (kind: string, message: string) => report([], { failure: { kind, message, cure: '' } });
  const slow = failure('timeout', 'no response within 30 s');
  t.match(describeFailure(slow), { check: null, line: null, outcome: 'no response within #', kind: 'timeout' });
  t.equal(fingerprint(failure('timeout', 'no response within 2.5 s')), fingerprint(slow));
  t.not(fingerprint(failure('target_unreachable', 'no response within 30 s')), fingerprint(slow));
  t.equal(describeFailure(report([], { result: 'passed' })), undefined);
  t.equal(describeFailure(report([], { result: null })), undefined);
});

t.test('a run whose report has expired is the same failure as one that has a report', async (t) => {
  const expired = { scenario: lease.scenario_id, kind: 'body_mismatch', message: 'no' };
  const fromSummary = describeExpiredFailure({ ...expired, summary: 'body has count equals 4: got 12 (+3)' });
  t.equal(toFingerprintText(fromSummary), fingerprint(report([check({})])));
  const slow = describeExpiredFailure({
    ...expired,
    kind: 'timeout',
    message: 'no response within 9 s',
    summary: null,
  });
  const reported = report([], { failure: { kind: 'timeout', message: 'no response within 30 s', cure: '' } });
  t.equal(toFingerprintText(slow), fingerprint(reported));
  const status = describeExpiredFailure({ ...expired, kind: 'status_mismatch', summary: 'status=200: got 503' });
  t.match(status, { check: 'status=200', outcome: '503' });
});
