import t from 'tap';
import { checkChanges } from '../../../src/console/run/compared.ts';
import type { Report, ReportCheck } from '../../../src/report/report.ts';
import { aReport } from '../../control/a-report.ts';

function check(text: string, outcome: ReportCheck['outcome'], actual: string | null): ReportCheck {
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

function report(...checks: ReportCheck[]): Report {
  const lease = { run_id: '20261120T143012345', correlation_id: 'tr', scenario_id: 'RT' };
  return { ...aReport(lease, 'app'), checks };
}

t.test('only checks that came out otherwise are told, also those that were not there', async (t) => {
  const before = report(check('a', 'passed', '3'), check('b', 'passed', '1'), check('gone', 'passed', '1'));
  const after = report(check('a', 'failed', '2'), check('b', 'passed', '1'), check('new', 'not_judged', null));
  t.same(checkChanges(before, after), [
    { text: 'a', before: 'passed', after: 'failed', actualBefore: '3', actualAfter: '2' },
    { text: 'new', before: undefined, after: 'not_judged', actualBefore: null, actualAfter: null },
    { text: 'gone', before: 'passed', after: undefined, actualBefore: '1', actualAfter: null },
  ]);
  t.same(checkChanges(before, before), []);
});
