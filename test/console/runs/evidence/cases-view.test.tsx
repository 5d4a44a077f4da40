import t from 'tap';
import { CasesView } from '../../../../src/console/runs/evidence/cases-view.tsx';
import type { ReportCase } from '../../../../src/report/report.ts';
import { createTestReport } from '../../../control/report-fixture.ts';
import { renderComponent } from '../../render-component.ts';

const lease = { run_id: '20261120T143012345', correlation_id: 'tr-1', scenario_id: 'RT-GET-document' };
const passedCase: ReportCase = {
  ...{ name: 'first page', line: 30, outcome: 'passed', problem: null, cure: null, correlation_id: 'tr-1-0001' },
  ...{ observed_status: 200, check_count: 2, failed_checks: [], exchange: null, total_ms: 12 },
};
const check = { text: 'status=${status}', line: 20, column: 3, expected: '422', actual: '200', pointer: null };
const response = { status: 200, headers: [], body: { text: '{"data":[]}', size_bytes: 11, truncated: false } };
const request = { method: 'GET', url: 'http://app:3100/orders?page=0', headers: [], body: null };
const failedCase: ReportCase = {
  ...passedCase,
  ...{ name: 'page zero', line: 31, outcome: 'failed', problem: 'status 200', cure: 'see the target' },
  ...{ failed_checks: [check], exchange: { request, response } },
};

t.test('cases that did not pass come first, with what they sent and received', async (t) => {
  const report = {
    ...createTestReport(lease, 'shop'),
    cases: [passedCase, failedCase],
    displayed_case: 'page zero',
  };
  const { container } = await renderComponent(t, <CasesView report={report} />);
  t.match(container.textContent, /2 cases: 1 failed, 1 passed. The other tabs are about the case page zero/);
  const sections = [...container.querySelectorAll('section')].map((section) => section.getAttribute('aria-label'));
  t.same(sections, ['page zero', 'first page']);
  t.match(container.textContent, /page zero · line 31 · failed · status 200/);
  t.match(container.textContent, /status=\$\{status\}: expected 422, got 200/);
  t.match(container.textContent, 'orders?page=0');
  t.equal(container.querySelector('details:not(.headers)')?.hasAttribute('open'), false);
});

t.test('where all passed they are listed at once', async (t) => {
  const report = { ...createTestReport(lease, 'shop'), cases: [passedCase], displayed_case: 'first page' };
  const { container } = await renderComponent(t, <CasesView report={report} />);
  t.equal(container.querySelector('details')?.hasAttribute('open'), true);
});
