/** Results of an onboarding: the probe run, the import of scenarios, the headline. */
import t from 'tap';
import { createScenarioSender, readScenarioTexts } from '../../src/commands/onboard/scenario-import.ts';
import type { RunDocument } from '../../src/contract/api.ts';
import { buildProbeScenario, evaluateProbe, selectProbePath } from '../../src/onboarding/evidence-probe.ts';
import { buildHeadline, formatHeadline } from '../../src/onboarding/headline.ts';
import type { ScenarioImportFile } from '../../src/onboarding/scenario-import.ts';
import { importScenarios } from '../../src/onboarding/scenario-import.ts';
import type { Shortfall } from '../../src/onboarding/workflow/step.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { createWorkspace, scenarioText } from '../commands/test-workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { createTestMachine } from './onboarding-machine.ts';

const allEvidence = { log: true, database: true };

t.test('the probe is a valid scenario with the path of the first GET', async (t) => {
  const file = (text: string, problem?: string): ScenarioImportFile => ({
    ...{ file: 'a.md', id: 'a', title: 'a', text, problem },
  });
  t.equal(selectProbePath([]), '/');
  t.equal(
    selectProbePath([file('POST ${INGESTION_URL}/x\n'), file(scenarioText('a', { path: '/api/v2/folder' }))]),
    '/api/v2/folder',
  );
  t.equal(selectProbePath([file(scenarioText('a'), 'line 3: wrong')]), '/');
  t.equal(selectProbePath([file('GET ${INGESTION_URL}/x/${NAME}\n')]), '/', 'what it names may be unknown');
  for (const probed of [allEvidence, { log: true, database: false }, { log: false, database: true }]) {
    const problems: object[] = [];
    const scenario = parseScenario(buildProbeScenario('/x', probed), { variables: 'any' }, (problem) =>
      problems.push(problem),
    );
    t.same(problems, []);
    t.equal(scenario?.id, 'vp-onboarding-probe');
  }
});

type LogEntry = { lines: number; problem: string | null; cure?: string | null };

function createRunDocument(log: LogEntry, query: string | null, response: object | null = {}): RunDocument {
  const report = {
    exchange: { request: null, response },
    log: { line_count: log.lines, problem: log.problem, cure: log.cure ?? null },
    queries: [{ problem: query, cure: query === null ? null : 'look at the password' }],
    failure: null,
  };
  return JSON.parse(
    JSON.stringify({ run_id: '20261120T143012345', report, failure_kind: null, failure_message: 'refused' }),
  );
}

t.test('the probe run is evaluated', async (t) => {
  const evaluated = evaluateProbe(createRunDocument({ lines: 2, problem: null }, null), allEvidence);
  t.match(evaluated, { result: { logLines: 2, database: 'read' }, failures: [] });
  const missing = evaluateProbe(createRunDocument({ lines: 0, problem: null }, null), allEvidence);
  t.match(missing.failures, [{ reason: /no log line of the run 20261120T143012345/, cure: /X-Request-Id/ }]);
  const unreadable = evaluateProbe(createRunDocument({ lines: 1, problem: null }, 'password refused'), allEvidence);
  t.match(unreadable.failures, [
    { reason: /the database was not read: password refused/, cure: 'look at the password' },
  ]);
  const unreachable = evaluateProbe(createRunDocument({ lines: 0, problem: null }, null, null), allEvidence);
  t.match(unreachable.failures, [{ reason: /the target was not reached .*refused/ }]);
  t.match(
    evaluateProbe(createRunDocument({ lines: 0, problem: null }, null), { log: false, database: true }).failures,
    [],
  );
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
    return importScenarios(client, 'shop', files, {
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
  t.match(other, { imported: 1, written: 0 });
  t.ok(
    other.refused.some(({ reason }) => /the catalogue has revision 2/.test(reason)),
    'work of others is not lost',
  );
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
  t.match(formatHeadline(buildTestHeadline([], 0)), /Nothing to do\.\n$/);
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
