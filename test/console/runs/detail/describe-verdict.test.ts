import t from 'tap';
import { describeVerdict } from '../../../../src/console/runs/detail/describe-verdict.ts';
import type { ReportCheck } from '../../../../src/report/report.ts';

const check = (kind: string, expected: string | null): ReportCheck =>
  ({
    ...{ text: '', line: 1, column: 1, outcome: 'failed', looks_at: 'response' as const, counted: true },
    ...{ kind, expected, actual: null, pointer: null },
  }) as ReportCheck;

const describe = (kind: string | null, checks: ReportCheck[] = []) =>
  describeVerdict({ state: 'failed', failure_kind: kind, observed_status: 500, report: { checks } as never });

t.test('a plain sentence says why a run failed', async (t) => {
  t.equal(
    describe('status_mismatch', [check('status', '200')]),
    'The target answered with status 500, but 200 is expected.',
  );
  t.match(describe('body_mismatch', [check('equals', '1'), check('has', null)]), '2 checks of its content are false');
  t.match(describe('body_mismatch', [check('equals', '1')]), '1 check of its content is false');
  t.match(describe('evidence_mismatch'), 'the log or the database is not');
  t.match(describe('timeout'), 'no response to judge');
  t.equal(describeVerdict({ state: 'passed', failure_kind: null, observed_status: 200, report: null }), undefined);
});

t.test('a failed step is named, with its own status', async (t) => {
  const exchange = { request: null, response: { status: 409 } };
  const steps = [
    { name: 'sign in', outcome: 'passed' },
    { name: 'pay', outcome: 'failed', exchange },
  ];
  const run = { state: 'failed', failure_kind: 'status_mismatch', observed_status: null } as const;
  t.equal(
    describeVerdict({ ...run, report: { checks: [check('status', '202')], steps } as never }),
    'The step “pay” failed with status 409, so nothing after it was sent but the cleanup.',
  );
  const silent = [{ name: 'pay', outcome: 'not_judged', exchange: { request: null, response: null } }];
  t.match(describeVerdict({ ...run, report: { checks: [], steps: silent } as never }), '“pay” could not be judged, so');
});
