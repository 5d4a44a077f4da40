/** What an onboarding says at its end: the probe run, the import of scenarios, the headline. */
import t from 'tap';
import { scenarioTexts, sending } from '../../src/commands/onboard/scenario-texts.ts';
import type { RunDocument } from '../../src/contract/api.ts';
import type { ScenarioText } from '../../src/onboarding/context.ts';
import type { Shortfall } from '../../src/onboarding/engine/step.ts';
import { headlineOf, headlineText } from '../../src/onboarding/headline.ts';
import { probePath, probeText, readProbe } from '../../src/onboarding/probe.ts';
import { importScenarios } from '../../src/onboarding/scenario-import.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { scenarioText, workspace } from '../commands/workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';
import { machine } from './onboarding-context.ts';

const both = { log: true, database: true };

t.test('the probe is a scenario, of the first one that only reads', async (t) => {
  const file = (text: string, problem?: string): ScenarioText => ({
    ...{ file: 'a.md', id: 'a', title: 'a', text, problem },
  });
  t.equal(probePath([]), '/');
  t.equal(
    probePath([file('POST ${INGESTION_URL}/x\n'), file(scenarioText('a', { path: '/api/v2/folder' }))]),
    '/api/v2/folder',
  );
  t.equal(probePath([file(scenarioText('a'), 'line 3: wrong')]), '/');
  t.equal(probePath([file('GET ${INGESTION_URL}/x/${NAME}\n')]), '/', 'what it names may be unknown');
  for (const wanted of [both, { log: true, database: false }, { log: false, database: true }]) {
    const problems: object[] = [];
    const scenario = parseScenario(probeText('/x', wanted), { variables: 'any' }, (problem) => problems.push(problem));
    t.same(problems, []);
    t.equal(scenario?.id, 'vp-onboarding-probe');
  }
});

type Found = { lines: number; problem: string | null; cure?: string | null };

function runWith(log: Found, query: string | null, response: object | null = {}): RunDocument {
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

t.test('what the probe found, and what it did not', async (t) => {
  const good = readProbe(runWith({ lines: 2, problem: null }, null), both);
  t.match(good, { facts: { logLines: 2, database: 'read' }, troubles: [] });
  const mute = readProbe(runWith({ lines: 0, problem: null }, null), both);
  t.match(mute.troubles, [{ reason: /no log line of the run 20261120T143012345/, cure: /X-Request-Id/ }]);
  const denied = readProbe(runWith({ lines: 1, problem: null }, 'password refused'), both);
  t.match(denied.troubles, [{ reason: /the database was not read: password refused/, cure: 'look at the password' }]);
  const away = readProbe(runWith({ lines: 0, problem: null }, null, null), both);
  t.match(away.troubles, [{ reason: /the target was not reached .*refused/ }]);
  t.match(readProbe(runWith({ lines: 0, problem: null }, null), { log: false, database: true }).troubles, []);
});

t.test('scenarios are imported; each refused file has its reason', async (t) => {
  const { client } = await machine(t);
  const { folder, write, paths } = workspace(t, 'http://127.0.0.1:1');
  await client.instances.create({ instance_id: 'shop' });
  write('test/scenarios/a.md', scenarioText('RT-a'));
  write('test/scenarios/b.md', scenarioText('RT-b'));
  write('test/scenarios/twin.md', scenarioText('RT-b', { path: '/other' }));
  write('test/scenarios/wrong.md', scenarioText('RT-c', { checks: ['status>200'] }));
  const { environment } = memoryEnvironment({ paths, cwd: folder });
  const { signal } = new AbortController();
  const run = () => {
    const files = scenarioTexts('test', folder);
    return importScenarios(client, 'shop', files, { signal, send: sending(environment), onFile: () => undefined });
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
    scenarioTexts('nowhere', folder).map(({ problem }) => problem !== undefined),
    [true],
  );
});

t.test('the headline: ALL SET, PARTIALLY SET with its reason, and exit code 3 with its sentence', async (t) => {
  const { run } = await machine(t);
  const context = run({ found: { instanceId: 'shop', port: 8770, dashboard: 'up' } });
  const ending = (shortfalls: readonly Shortfall[], acted = 3) =>
    headlineOf(context, { kind: 'finished', acted, shortfalls });
  const text = (...shortfalls: readonly Shortfall[]): string => headlineText(ending(shortfalls));
  t.match(
    text(),
    /^ALL SET\n {2}control plane {2}http:\/\/localhost:7700\n {2}dashboard .*\(up\)\n {2}instance +shop,/,
  );
  t.match(headlineText(ending([], 0)), /Nothing was to do\.\n$/);
  const short = { reason: 'no log line', cure: 'write one', passes: false };
  t.match(ending([short]), { outcome: 'PARTIALLY SET', exit_code: 1 });
  t.match(text(short), /^PARTIALLY SET: no log line\n {4}write one\n/);
  const late = { reason: 'not seen', cure: 'x', passes: true };
  t.match(ending([short, late]), { outcome: 'NOT READY', exit_code: 3 });
  t.match(
    text(late),
    /something was not ready: do not tear down; wait a few minutes and check Settings → Environments/,
  );
});
