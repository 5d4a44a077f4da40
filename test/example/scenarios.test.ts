import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';
import { emptyObservation } from '../../src/check/observation.ts';
import { bindTrigger } from '../../src/scenario/bind.ts';
import type { Diagnostic } from '../../src/scenario/diagnostic.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { apiToken, filterLines, startTestExample, type TestExample } from './test-example.ts';

const root = new URL('../../compose/example/', import.meta.url);

function readScenario(file: string): Scenario {
  const diagnostics: Diagnostic[] = [];
  const text = readFileSync(new URL(file, root), 'utf8');
  const scenario = parseScenario(text, {}, (diagnostic) => diagnostics.push(diagnostic));
  if (scenario === undefined || diagnostics.length > 0) throw new Error(`${file}: ${JSON.stringify(diagnostics)}`);
  return scenario;
}

/** Sends the scenario as the executor would and returns each check, as written, with its result. */
async function judgeScenario({ example }: TestExample, scenario: Scenario) {
  const correlationId = `tr-20261120T093031123-${scenario.id}`;
  const request = bindTrigger(scenario, { origin: example.url, correlationId, variables: {} });
  const headers = { ...Object.fromEntries(request.headers), Authorization: `Bearer ${apiToken}` };
  const response = await fetch(request.url, { method: request.method, headers });
  const body = { kind: 'json', value: JSON.parse(await response.text()) } as const;
  const observed = { ...emptyObservation, status: response.status, body };
  const outcomes = scenario.checks.map(({ check, definition, text }) => ({
    text,
    ...definition.judge(check, observed),
  }));
  return { correlationId, observed, outcomes };
}

t.test('the four scenarios are valid and pass, each with five counted checks', async (t) => {
  const example = await startTestExample(t);
  const names = ['document', 'envelope', 'folder', 'template'];
  const files = readdirSync(new URL('test/scenarios/', root));
  t.same(
    files,
    names.map((name) => `RT-GET-${name}.md`),
  );
  for (const name of names) {
    const scenario = readScenario(`test/scenarios/RT-GET-${name}.md`);
    t.match(scenario, { id: `RT-GET-${name}`, title: `GET ${name}`, layer: 'HTTP Ingestion', tags: ['http'] });
    t.equal(scenario.timeoutMs, 30_000);
    t.equal(scenario.checks.filter(({ definition }) => definition.counted).length, 5);
    const { correlationId, observed, outcomes } = await judgeScenario(example, scenario);
    t.equal(observed.status, 200);
    t.same(
      outcomes.filter((outcome) => !outcome.passed),
      [],
    );
    t.match(
      filterLines(example.lines, correlationId),
      [{ path: `/api/v2/${name}`, status: 200 }],
      'and can be found in the log',
    );
  }
});

t.test('the four scenarios pass on an empty application too', async (t) => {
  const example = await startTestExample(t, { seed: false });
  for (const name of ['document', 'envelope', 'folder', 'template']) {
    const { outcomes } = await judgeScenario(example, readScenario(`test/scenarios/RT-GET-${name}.md`));
    t.ok(
      outcomes.every((outcome) => outcome.passed),
      name,
    );
  }
});

t.test('the planted scenario fails in exactly one check', async (t) => {
  const example = await startTestExample(t);
  const scenario = readScenario('planted/RT-GET-envelope-planted.md');
  const { observed, outcomes } = await judgeScenario(example, scenario);
  t.equal(observed.status, 200);
  const failed = outcomes.filter((outcome) => !outcome.passed);
  t.match(failed, [{ text: 'body has count matching ^[1-9][0-9]*$', pointer: '/count' }]);
  t.equal(failed.length, 1);
});
