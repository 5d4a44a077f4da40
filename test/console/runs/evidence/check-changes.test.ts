import t from 'tap';
import { diffChecks } from '../../../../src/console/runs/evidence/check-changes.ts';
import type { Report, ReportCheck } from '../../../../src/report/report.ts';
import { createTestReport } from '../../../control/report-fixture.ts';

function createCheck(text: string, outcome: ReportCheck['outcome'], actual: string | null): ReportCheck {
  return {
    text,
    outcome,
    actual,
    kind: 'equals',
    line: 1,
    column: 1,
    counted: true,
    looks_at: 'response',
    expected: '3',
    pointer: null,
  };
}

function createReport(...checks: ReportCheck[]): Report {
  const lease = { run_id: '20261120T143012345', correlation_id: 'tr', scenario_id: 'RT' };
  return { ...createTestReport(lease, 'app'), checks };
}

t.test('only changed checks are returned, including added and removed ones', async (t) => {
  const before = createReport(
    createCheck('a', 'passed', '3'),
    createCheck('b', 'passed', '1'),
    createCheck('gone', 'passed', '1'),
  );
  const after = createReport(
    createCheck('a', 'failed', '2'),
    createCheck('b', 'passed', '1'),
    createCheck('new', 'not_judged', null),
  );
  t.same(diffChecks(before, after), [
    { text: 'a', before: 'passed', after: 'failed', actualBefore: '3', actualAfter: '2' },
    { text: 'new', before: undefined, after: 'not_judged', actualBefore: null, actualAfter: null },
    { text: 'gone', before: 'passed', after: undefined, actualBefore: '1', actualAfter: null },
  ]);
  t.same(diffChecks(before, before), []);
});
