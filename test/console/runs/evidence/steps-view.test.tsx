import t from 'tap';
import { StepsView } from '../../../../src/console/runs/evidence/steps-view.tsx';
import type { ReportStep } from '../../../../src/report/report.ts';
import { createTestReport } from '../../../control/report-fixture.ts';
import { renderComponent } from '../../render-component.ts';

const lease = { run_id: '20261120T143012345', correlation_id: 'tr-1', scenario_id: 'RT-GET-document' };
const none = { exchange: { request: null, response: null }, attempts: null, total_ms: null, checks: [] };
const response = { status: 500, headers: [], body: { text: '{"error":"no stock"}', size_bytes: 20, truncated: false } };
const exchange: ReportStep['exchange'] = {
  request: { method: 'POST', url: 'http://app:3100/orders', headers: [], body: null },
  response: { ...response, headers: [] },
};

t.test('each step has its outcome, its response and what to do', async (t) => {
  const steps: ReportStep[] = [
    {
      ...none,
      name: 'create',
      line: 9,
      outcome: 'failed',
      problem: 'status 500',
      cure: 'see the log',
      exchange,
      attempts: 3,
    },
    { ...none, name: 'pay', line: 15, outcome: 'not_sent', problem: null, cure: null },
  ];
  const cleanup: ReportStep[] = [
    { ...none, name: 'remove', line: 30, outcome: 'not_sent', problem: 'nothing was captured', cure: 'see the step' },
  ];
  const report = { ...createTestReport(lease, 'shop'), steps, cleanup };
  const { container } = await renderComponent(t, <StepsView report={report} />);
  t.same(
    [...container.querySelectorAll('h2')].map(({ textContent }) => textContent),
    ['Steps', 'Cleanup'],
  );
  t.match(container.textContent, /create · line 9 · failed · status 500 .* sent 3 times/);
  t.match(container.textContent, /status 500.*see the log/);
  t.match(container.textContent, /pay · line 15 · not sent/);
  t.match(container.textContent, /nothing was captured/);
  t.match(container.textContent, /no stock/);
});

t.test('a scenario of one request says that it has none', async (t) => {
  const { container } = await renderComponent(t, <StepsView report={createTestReport(lease, 'shop')} />);
  t.match(container.textContent, /no steps/);
});
