/** Log, database and proof of a run, from reports created by the test. */
import type { Page } from 'playwright-core';
import type { Lease } from '../../src/contract/executor-api.ts';
import type { Report } from '../../src/report/report.ts';
import { createScenarioText, createTestReport } from '../control/report-fixture.ts';
import { helloMessage } from '../server/test-server.ts';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { browserTest } from './browser-test.ts';
import { clickToCopy } from './hub-steps.ts';
import { waitForCount, waitForMatch, waitForText, waitForValue } from './wait-for.ts';

const ledger = 'ledger';

/** Creates an instance whose executor is this test. */
async function startTestExecutor(page: Page, url: string) {
  const { executor_key: key } = await callApi<{ executor_key: string }>(page, 'POST', '/instances', {
    instance_id: ledger,
  });
  await callApi(page, 'PUT', `/instances/${ledger}/scenarios/RT-GET-document`, { text: createScenarioText() });
  const callExecutorApi = async (call: string, body: object) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${url}/api/v1/executor/${call}`, init);
    if (!response.ok) throw new Error(await response.text());
    return response.status === 204 ? undefined : response.json();
  };
  const { epoch } = await callExecutorApi('hello', helloMessage);
  /** Runs the scenario once and returns the path of the run. */
  return async (parts: (honest: Report) => Partial<Report>): Promise<string> => {
    await callApi(page, 'POST', `/instances/${ledger}/runs`, { scenarios: [{ id: 'RT-GET-document' }] });
    const { lease }: { lease: Lease } = await callExecutorApi('poll', { epoch, in_hand: null, wait_ms: 5000 });
    const honest = createTestReport(lease, ledger, 'failed');
    const report = { ...honest, ...parts(honest) };
    await callExecutorApi('complete', { epoch, run_id: lease.run_id, fence: lease.fence, more: false, report });
    return `/runs/${lease.run_id}`;
  };
}

const checkDefaults = { column: 3, counted: false, pointer: null };

function createFullReport({ correlation_id: id, scenario }: Report): Partial<Report> {
  const failing = {
    ...checkDefaults,
    text: 'log has no error lines',
    kind: 'log_errors',
    line: 19,
    outcome: 'failed',
    looks_at: 'log',
    expected: 'no error lines',
    actual: '1 error line',
  } as const;
  return {
    scenario: { ...scenario, layer: 'HTTP Ingestion + Database + Log' },
    evidence_assertions_count: 2,
    checks: [failing],
    failed_checks: [{ ...failing }],
    log: {
      line_count: 3,
      error_count: 1,
      saga_event_count: 1,
      lines: [
        { text: `{"msg":"accepted","request_id":"${id}"}`, level: 'info', error: false, saga_event: false },
        { text: `{"msg":"could not sign","request_id":"${id}"}`, level: 'error', error: true, saga_event: false },
        { text: `${'long '.repeat(60)} ${id}`, level: null, error: false, saga_event: true },
      ],
      problem: null,
      cure: null,
      waited_ms: 120,
    },
    queries: [
      {
        name: 'envelope',
        line: 12,
        sql: 'SELECT id, state, note FROM envelopes WHERE request_id = $1',
        columns: ['id', 'state', 'note'],
        rows: [
          ['1', 'sealed', null],
          ['2', 'open', 'a long note '.repeat(20)],
        ],
        row_count: 2,
        truncated: false,
        duration_ms: 4.2,
        problem: null,
        cure: null,
      },
      {
        name: 'audit',
        line: 16,
        sql: 'SELECT * FROM audit',
        columns: [],
        rows: [],
        row_count: 0,
        truncated: false,
        duration_ms: 1,
        problem: 'permission denied for table audit',
        cure: 'grant SELECT on it to the user of the config',
      },
    ],
    proof: {
      changes: 12,
      problem: null,
      checks: [
        {
          text: 'status=200',
          line: 18,
          verdict: 'proven',
          changes: 3,
          noticed: 3,
          covered_by: [],
          example: 'status 500',
          advice: null,
        },
        {
          text: 'body has data matching .*',
          line: 19,
          verdict: 'never_fails',
          changes: 9,
          noticed: 0,
          covered_by: [],
          example: null,
          advice: 'name what data must be',
        },
      ],
      unchecked: [{ pointer: '/count', value: '3', suggestion: 'body has count equals 3' }],
    },
  };
}

browserTest(
  'a run shows the log, the database and the proof, and opens at the failed check',
  async (t, { owner, url }) => {
    const page = await owner();
    const run = await startTestExecutor(page, url);
    const path = await run(createFullReport);
    await page.goto(path);
    const line = page.locator('.log-lines li', { hasText: 'could not sign' });
    await line.getByText('error', { exact: true }).last().waitFor();
    await page.getByText('2 checks of log and database').waitFor();
    await page.getByText('3 lines', { exact: true }).waitFor();
    await page.getByText('saga event', { exact: true }).waitFor();
    await waitForText(t, line.locator('mark'), /^tr-/);
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('ACCEPTED');
    await page.getByText('1 line', { exact: true }).waitFor();
    await waitForCount(t, page.locator('.log-lines li'), 1);
    await page.getByRole('tab', { name: /Database/ }).click();
    await page.getByRole('cell', { name: 'sealed' }).waitFor();
    await page.getByRole('cell', { name: 'null' }).waitFor();
    await page.getByText('grant SELECT on it to the user of the config').waitFor();
    await page.getByRole('tab', { name: /Proof/ }).click();
    await page.getByText('1 of 2 checks proven').waitFor();
    await page.getByText('name what data must be').waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await clickToCopy(page, 'Copy check');
    await waitForValue(t, () => page.evaluate(() => navigator.clipboard.readText()), '- body has count equals 3');
    await page.getByRole('button', { name: 'Line 19 of the scenario' }).click();
    await page.locator('.log-lines').waitFor();
    await waitForMatch(t, () => page.url(), /tab=log/, 'selecting a check opens the evidence that it judges');
  },
);

browserTest('missing evidence is explained with a fix', async (t, { owner, url }) => {
  const page = await owner();
  const run = await startTestExecutor(page, url);
  const path = await run(() => ({}));
  await page.goto(`${path}?tab=log`);
  await page.getByText('does not read the target’s log, so the run has no log lines').waitFor();
  await page.goto(`${path}?tab=database`);
  await page.getByText('The scenario’s layer is HTTP Ingestion.').waitFor();
  await page.goto(`${path}?tab=proof`);
  await page.getByText(`vp prove RT-GET-document --instance ${ledger}`).waitFor();
  await page.getByRole('button', { name: 'Run again and prove' }).click();
  await page.waitForURL((target) => target.pathname.startsWith('/runs/') && !target.pathname.endsWith(path));
  const none = { line_count: 0, error_count: 0, saga_event_count: 0, lines: [], waited_ms: 2000 };
  const problem = 'no line of the log names this run';
  const quietLog = { log: { ...none, problem, cure: 'log the X-Request-Id of each request' } };
  await waitForMatch(t, () => page.url(), /tab=proof/);
  const later = await run(() => quietLog);
  await page.goto(`${later}?tab=log`);
  await page.getByText('log the X-Request-Id of each request').waitFor();
});

const appearances = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

for (const { name, options } of appearances) {
  browserTest(`${name}: no serious violations and no overflow`, async (t, { owner, url }) => {
    const page = await owner(options);
    const run = await startTestExecutor(page, url);
    const [fullRun, emptyRun] = [await run(createFullReport), await run(() => ({}))];
    const violations: string[] = [];
    for (const path of [fullRun, emptyRun])
      for (const tab of ['log', 'database', 'proof']) {
        await page.goto(`${path}?tab=${tab}`);
        await page.getByRole('tab', { name: new RegExp(tab, 'i'), selected: true }).waitFor();
        const overflow = await measureOverflow(page);
        if (overflow > 0) violations.push(`${path} ${tab} is ${overflow} px wider than the window`);
        for (const violation of await findSeriousViolations(page)) violations.push(`${tab} ${violation}`);
      }
    const wide = createScenarioText('RT-POST-wide')
      .replace('GET ${', 'POST ${')
      .replace('## EXPECT', `{"a":"${'x'.repeat(300)}"}\n\n## EXPECT`);
    await callApi(page, 'PUT', `/instances/${ledger}/scenarios/RT-POST-wide`, { text: wide });
    await page.goto(`/instances/${ledger}/scenarios/RT-POST-wide`);
    await page.getByText('xxxx').waitFor();
    const overflow = await measureOverflow(page);
    if (overflow > 0) violations.push(`a scenario is ${overflow} px wider than the window`);
    const bar = await page.locator('.narrow-bar, .rail-head').evaluate(({ clientHeight }) => clientHeight);
    if (bar > 90) violations.push(`the bar is ${bar} px high`);
    await page.goto('/settings/people');
    await page.getByRole('heading', { name: 'People' }).waitFor();
    const inside = await page.locator('.table-scroll').evaluate((box) => box.scrollWidth - box.clientWidth);
    if (inside > 0) violations.push(`people scroll sideways by ${inside} px`);
    await page.keyboard.press('Control+k');
    await page.locator('.palette-list [role="option"]').first().waitFor();
    for (const violation of await findSeriousViolations(page)) violations.push(`palette ${violation}`);
    t.same(violations, []);
  });
}
