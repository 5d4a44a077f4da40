import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { isCounted, judgeCheck } from '../../src/check/kinds.ts';
import { bind } from '../../src/scenario/bind.ts';
import type { Diagnostic } from '../../src/scenario/diagnostic.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { apiToken, linesOf, type Started, started } from './started.ts';

const root = new URL('../../compose/example/', import.meta.url);

function scenarioOf(file: string): Scenario {
  const diagnostics: Diagnostic[] = [];
  const text = readFileSync(new URL(file, root), 'utf8');
  const scenario = parseScenario(text, {}, (diagnostic) => diagnostics.push(diagnostic));
  if (scenario === undefined || diagnostics.length > 0) throw new Error(`${file}: ${JSON.stringify(diagnostics)}`);
  return scenario;
}

/** Sends the scenario as the executor would and gives each check, as written, with its outcome. */
async function judged({ example }: Started, scenario: Scenario) {
  const correlationId = `tr-20261120T093031123-${scenario.id}`;
  const request = bind(scenario, { origin: example.url, correlationId, variables: {} });
  const headers = { ...Object.fromEntries(request.headers), Authorization: `Bearer ${apiToken}` };
  const response = await fetch(request.url, { method: request.method, headers });
  const observed = {
    status: response.status,
    body: { kind: 'json', value: JSON.parse(await response.text()) },
  } as const;
  const outcomes = scenario.checks.map(({ check, text }) => ({ text, ...judgeCheck(check, observed) }));
  return { correlationId, observed, outcomes };
}

t.test('the four scenarios are read without a complaint and pass, each with five counted checks', async (t) => {
  const example = await started(t);
  const names = ['document', 'envelope', 'folder', 'template'];
  const files = readdirSync(new URL('test/scenarios/', root));
  t.same(
    files,
    names.map((name) => `RT-GET-${name}.md`),
  );
  for (const name of names) {
    const scenario = scenarioOf(`test/scenarios/RT-GET-${name}.md`);
    t.match(scenario, { id: `RT-GET-${name}`, title: `GET ${name}`, layer: 'HTTP Ingestion', tags: ['http'] });
    t.equal(scenario.timeoutMs, 30_000);
    t.equal(scenario.checks.filter(({ check }) => isCounted(check)).length, 5);
    const { correlationId, observed, outcomes } = await judged(example, scenario);
    t.equal(observed.status, 200);
    t.same(
      outcomes.filter((outcome) => !outcome.passed),
      [],
    );
    t.match(
      linesOf(example.lines, correlationId),
      [{ path: `/api/v2/${name}`, status: 200 }],
      'and can be found in the log',
    );
  }
});

t.test('the four scenarios pass on an empty application too', async (t) => {
  const example = await started(t, { seed: false });
  for (const name of ['document', 'envelope', 'folder', 'template']) {
    const { outcomes } = await judged(example, scenarioOf(`test/scenarios/RT-GET-${name}.md`));
    t.ok(
      outcomes.every((outcome) => outcome.passed),
      name,
    );
  }
});

t.test('the planted scenario fails in exactly one check', async (t) => {
  const example = await started(t);
  const scenario = scenarioOf('planted/RT-GET-envelope-planted.md');
  const { observed, outcomes } = await judged(example, scenario);
  t.equal(observed.status, 200);
  const failed = outcomes.filter((outcome) => !outcome.passed);
  t.match(failed, [{ text: 'body has count matching ^[1-9][0-9]*$', pointer: '/count' }]);
  t.equal(failed.length, 1);
});
