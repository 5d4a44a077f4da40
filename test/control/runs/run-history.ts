/** Completes runs of a control plane the way that an executor does. */
import type { Control } from '../../../src/control/control.ts';
import type { Report, ReportCheck } from '../../../src/report/report.ts';
import { createTestReport } from '../report-fixture.ts';

const hello = { protocol: 1, executor_version: '0', store_id: 'store-one', started: [], finished: [], target: '' };

export const failingCheck: ReportCheck = {
  ...{ text: 'body has count equals 1', kind: 'equals', line: 19, column: 3, outcome: 'failed', looks_at: 'response' },
  ...{ counted: true, expected: '1', actual: '10', pointer: '/count' },
};

export type RunOutline = {
  readonly scenario?: string;
  readonly result?: 'passed' | 'failed';
  readonly check?: Partial<ReportCheck>;
  readonly failure?: Report['failure'];
  /** As a response header names it. */
  readonly version?: string;
  readonly requestedVersion?: string;
  readonly totalMs?: number;
  readonly nowMs?: number;
};

/** Requests and completes one run of the instance `app`; returns its id. */
export async function completeRun(control: Control, outline: RunOutline = {}): Promise<string> {
  const { scenario: id = 'RT-GET-document', result = 'passed', check = {}, nowMs } = outline;
  const version = outline.requestedVersion === undefined ? {} : { target_version: outline.requestedVersion };
  const [run] = await control.runs.request('app', { scenarios: [{ id }], ...version }, { name: 'ana' });
  const port = control.executorPort('app');
  const { epoch } = await port.hello(hello);
  const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
  if (!lease || !run) throw new Error('no lease');
  const report = createTestReport(lease, 'app', result);
  if (result === 'failed' && outline.failure === undefined) report.checks.push({ ...failingCheck, ...check });
  if (outline.failure !== undefined) report.failure = outline.failure;
  if (outline.version !== undefined) report.exchange.response?.headers.push(['x-app-version', outline.version]);
  report.timings.total_ms = outline.totalMs ?? 3;
  if (nowMs !== undefined) report.started_at = new Date(nowMs).toISOString();
  if (nowMs !== undefined) report.finished_at = new Date(nowMs + report.timings.total_ms).toISOString();
  await port.complete({ epoch, run_id: run.run_id, fence: lease.fence, more: false, report });
  return run.run_id;
}
