/** What was not judged never looks like a result. */
import t from 'tap';
import { ScenarioChecks } from '../../../../src/console/runs/detail/scenario-checks.tsx';
import { LogView } from '../../../../src/console/runs/evidence/log-view.tsx';
import type { ReportCheck } from '../../../../src/report/report.ts';
import { createTestReport } from '../../../control/report-fixture.ts';
import { renderComponent } from '../../render-component.ts';

const lease = { run_id: '20261120T143012345', correlation_id: 'tr-1', scenario_id: 'RT-GET-document' };
const log = {
  ...{ line_count: 2, error_count: 0, saga_event_count: 0, lines: [], waited_ms: 5 },
  ...{ watched: [], problem: null, cure: null },
};

t.test('a log whose lines do not tell errors is not said to have none', async (t) => {
  const errorsUnknown = { problem: 'the lines have no field `level`', cure: 'set level_field' };
  const report = { ...createTestReport(lease, 'shop'), log: { ...log, errors_unknown: errorsUnknown } };
  const { container } = await renderComponent(t, <LogView report={report} />);
  t.match(container.textContent, /errors unknown/);
  t.match(container.textContent, /the lines have no field level.*set level_field/);
  t.notMatch(container.textContent, /no errors/);
});

t.test('a check that only follows from a wrong status is not shown as a failure of its own', async (t) => {
  const status: ReportCheck = {
    ...{ text: 'status=200', kind: 'status', line: 1, column: 3, counted: false, outcome: 'failed' },
    ...{ looks_at: 'response', expected: '200', actual: '503', pointer: null },
  };
  const body: ReportCheck = { ...status, text: 'body has data', line: 2, actual: 'nothing', follows_from_status: true };
  const { container } = await renderComponent(
    t,
    <ScenarioChecks
      text={'- status=200\n- body has data\n'}
      checks={[status, body]}
      selected={undefined}
      selectedByUser={false}
      onSelect={() => undefined}
    />,
  );
  t.equal(container.querySelectorAll('.is-failed').length >= 1, true);
  t.equal(container.querySelectorAll('.finding').length, 1, 'only the status is explained');
  t.match(container.textContent, /follows from the status/);
});
