/** Results of an onboarding: the probe run, the import of scenarios, the headline. */
import t from 'tap';
import { createScenarioSender, readScenarioTexts } from '../../src/commands/onboard/scenario-import.ts';
import {
  buildEvidenceProbeScenario,
  evaluateProbe,
  type ProbeReport,
  selectProbePaths,
} from '../../src/onboarding/evidence-probe.ts';
import { buildHeadline, formatHeadline } from '../../src/onboarding/headline.ts';
import type { ScenarioImportFile } from '../../src/onboarding/scenario-import.ts';
import { importScenarioFiles } from '../../src/onboarding/scenario-import.ts';
import type { Shortfall } from '../../src/onboarding/workflow/step.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { createWorkspace, scenarioText } from '../commands/test-workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { createTestMachine } from './onboarding-machine.ts';

const allEvidence = { log: true, database: true };
const noEvidence = { log: false, database: false };

const file = (text: string, problem?: string): ScenarioImportFile => ({
  ...{ file: 'a.md', id: 'a', title: 'a', text, problem },
});

t.test('the probe asks the paths of scenarios that expect success and send the token of the config', async (t) => {
  t.same(selectProbePaths([]), ['/']);
  const post = file('POST ${INGESTION_URL}/x\n');
  const folder = file(scenarioText('a', { path: '/api/v2/folder' }));
  t.same(selectProbePaths([post, folder, folder]), ['/api/v2/folder']);
  t.same(selectProbePaths([file(scenarioText('a'), 'line 3: wrong')]), ['/']);
  t.same(selectProbePaths([file('GET ${INGESTION_URL}/x/${NAME}\n- status=200\n')]), ['/'], 'NAME may be unknown');
  t.same(selectProbePaths([file(scenarioText('a', { path: '/x', checks: ['status=401'] }))]), ['/']);
  t.same(selectProbePaths([file('GET ${INGESTION_URL}/x\nAuthorization: Bearer no\n\n- status=200\n')]), ['/']);
});

t.test('the probe is a valid scenario', async (t) => {
  const probes = [allEvidence, { log: true, database: false }, { log: false, database: true }, noEvidence];
  for (const probed of probes) {
    const problems: object[] = [];
    const scenario = parseScenario(buildEvidenceProbeScenario('/x', probed), { variables: 'any' }, (problem) =>
      problems.push(problem),
    );
    t.same(problems, []);
    t.equal(scenario?.id, 'vp-onboarding-probe');
  }
});

type LogEntry = { lines: number; problem: string | null; cure?: string | null };

function createReport(log: LogEntry, query: string | null, response: object | null = { status: 200 }): ProbeReport {
  const failure = response ? null : { kind: 'target_unreachable', message: 'refused', cure: 'start it' };
  return JSON.parse(
    JSON.stringify({
      run_id: '20261120T143012345',
      exchange: { request: null, response },
      log: { line_count: log.lines, problem: log.problem, cure: log.cure ?? null },
      queries: [{ problem: query, cure: query === null ? null : 'look at the password' }],
      failure,
    }),
  );
}

const evaluate = (report: ProbeReport, more: object = {}) =>
  evaluateProbe(report, { ...allEvidence, path: '/a', baseUrl: 'http://app:3100', sendsToken: true, ...more });

t.test('the probe is evaluated', async (t) => {
  const evaluated = evaluate(createReport({ lines: 2, problem: null }, null));
  t.match(evaluated, { result: { status: 200, logLines: 2, database: 'read' }, failures: [] });
  const missing = evaluate(createReport({ lines: 0, problem: null }, null));
  t.match(missing.failures, [{ reason: /no log line of the request tr-20261120T143012345/, cure: /X-Request-Id/ }]);
  const unreadable = evaluate(createReport({ lines: 1, problem: null }, 'password refused'));
  t.match(unreadable.failures, [
    { reason: /the database was not read: password refused/, cure: 'look at the password' },
  ]);
  const unreachable = evaluate(createReport({ lines: 0, problem: null }, null, null));
  t.match(unreachable.failures, [
    { code: 'TARGET_UNREACHED', reason: /no response from the target http:\/\/app:3100: refused/, cure: 'start it' },
  ]);
  t.match(evaluate(createReport({ lines: 0, problem: null }, null), { log: false }).failures, []);
});

t.test('a status that says that runs cannot pass is a failure, whatever log and database say', async (t) => {
  const failuresOf = (status: number, more: object = {}) =>
    evaluate(createReport({ lines: 1, problem: null }, null, { status }), more).failures;
  for (const status of [401, 403])
    t.match(failuresOf(status), [
      { reason: new RegExp(`answered ${status} to GET /a: it refuses the token`), cure: /\.env/ },
    ]);
  t.match(failuresOf(401, { sendsToken: false }), [
    { code: 'TARGET_REFUSED', reason: /the config has none/, cure: /targets\.auth/ },
  ]);
  for (const status of [500, 502, 503])
    t.match(failuresOf(status), [{ reason: /an error of its own/, cure: /log of the target/ }]);
  for (const status of [200, 204, 302, 404]) t.same(failuresOf(status), [], String(status));
});

t.test('scenarios are imported, and each refused file has a reason', async (t) => {
  const { client } = await createTestMachine(t);
  const { folder, write, paths } = createWorkspace(t, 'http://127.0.0.1:1');
  await client.instances.create({ instance_id: 'shop' });
  write('test/scenarios/a.md', scenarioText('RT-a'));
  write('test/scenarios/b.md', scenarioText('RT-b'));
  write('test/scenarios/twin.md', scenarioText('RT-b', { path: '/other' }));
  write('test/scenarios/wrong.md', scenarioText('RT-c', { checks: ['status>200'] }));
  const { environment } = memoryEnvironment({ paths, cwd: folder });
  const { signal } = new AbortController();
  const run = () => {
    const files = readScenarioTexts('test', folder);
    return importScenarioFiles(client, 'shop', files, {
      signal,
      send: createScenarioSender(environment),
      onFile: () => undefined,
    });
  };
  const first = await run();
  t.match(first, { imported: 2, total: 4, written: 2 });
  t.match(first.refused.map(({ file, reason }) => `${file}: ${reason}`).sort(), [
    /twin\.md: its ID RT-b is that of test\/scenarios\/b\.md/,
    /wrong\.md: line \d+: comparing numbers/,
  ]);
  t.match(await run(), { imported: 2, written: 0 }, 'again');
  write('test/scenarios/a.md', scenarioText('RT-a', { path: '/changed' }));
  t.match(await run(), { imported: 2, written: 1 }, 'a file that changed here takes the place of what it was');
  await client.scenarios.write('shop', 'RT-b', { text: scenarioText('RT-b', { path: '/by-the-agent' }) });
  const other = await run();
  t.match(other, { imported: 1, written: 0, kept: 1 }, 'work of others is not lost');
  t.same(
    readScenarioTexts('nowhere', folder).map(({ problem }) => problem !== undefined),
    [true],
  );
});

t.test('the headline is ALL SET, PARTIALLY SET with its reason, or the sentence of exit code 3', async (t) => {
  const { run } = await createTestMachine(t);
  const context = run({ state: { instanceId: 'shop', port: 8770, dashboard: 'up' } });
  const buildTestHeadline = (shortfalls: readonly Shortfall[], acted = 3) =>
    buildHeadline(context, { kind: 'finished', acted, shortfalls });
  const text = (...shortfalls: readonly Shortfall[]): string => formatHeadline(buildTestHeadline(shortfalls));
  t.match(
    text(),
    /^ALL SET\n {2}control plane {2}http:\/\/localhost:7700\n {2}dashboard .*\(up\)\n {2}instance +shop,/,
  );
  t.match(formatHeadline(buildTestHeadline([], 0)), /^Nothing to do\.$/m);
  t.match(text(), /\nNext: vp run --instance shop --control-plane http:\/\/localhost:7700 \S+\/test\n$/);
  const short = { reason: 'no log line', cure: 'write one', passes: false };
  t.match(buildTestHeadline([short]), { outcome: 'PARTIALLY SET', exit_code: 1 });
  t.match(text(short), /^PARTIALLY SET: no log line\n {4}write one\n/);
  const late = { reason: 'not seen', cure: 'x', passes: true };
  t.match(buildTestHeadline([short, late]), { outcome: 'NOT READY', exit_code: 3 });
  t.match(
    text(late),
    /something was not ready: do not tear down; wait a few minutes and check Settings → Environments/,
  );
});
