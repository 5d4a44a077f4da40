import t from 'tap';
import { valueTests } from '../../src/check/forms/value-test.ts';
import { checkKinds } from '../../src/check/kinds.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { renderExampleScenario, renderScenarioGuide } from '../../src/scenario/guide.ts';
import { renderCasesExample } from '../../src/scenario/guide-cases.ts';
import { renderEvidenceExample } from '../../src/scenario/guide-evidence.ts';
import { renderStepsExample } from '../../src/scenario/guide-steps.ts';
import { layerDefinitions } from '../../src/scenario/layers.ts';
import { metadataKeys } from '../../src/scenario/metadata.ts';
import { httpMethods } from '../../src/scenario/scenario.ts';
import { formatHeading, sectionDefinitions } from '../../src/scenario/sections.ts';
import { read } from './samples.ts';

t.test('the example is a scenario without diagnostics', async (t) => {
  const { scenario, diagnostics } = read(renderExampleScenario());
  t.same(diagnostics, []);
  t.equal(scenario?.id, 'RT-GET-document');
});

t.test('the guide has every section, key, check, method and the example', async (t) => {
  const guide = renderScenarioGuide();
  for (const section of sectionDefinitions) t.match(guide, formatHeading(section));
  for (const { name } of metadataKeys) t.match(guide, `\`${name}\``);
  for (const { form, example } of checkKinds) {
    t.match(guide, `\`${form}\``);
    t.match(guide, `\`${example}\``);
  }
  for (const method of httpMethods) t.match(guide, `\`${method}\``);
  t.match(guide, renderExampleScenario());
  t.match(guide, '${correlation_id}');
});

t.test('the requests of the guide can be sent', async (t) => {
  const [, example = ''] = /\n```\n(POST [\s\S]*?)\n```\n/.exec(renderScenarioGuide()) ?? [];
  t.match(example, 'POST ${INGESTION_URL}');
  const text = renderExampleScenario()
    .replace(/GET \$[^#]*/, () => `${example}\n\n`)
    .replace('GET document', 'POST folder');
  t.same(read(text).diagnostics, []);
});

t.test('the example with database and log is a scenario without diagnostics', async (t) => {
  const { scenario, diagnostics } = read(renderEvidenceExample());
  t.same(diagnostics, []);
  t.equal(scenario?.queries.length, 1);
  t.match(renderScenarioGuide(), renderEvidenceExample());
});

t.test('the guide has every layer and every test of a value', async (t) => {
  const guide = renderScenarioGuide();
  for (const { name } of layerDefinitions) t.match(guide, `| \`${name}\` |`);
  for (const { form } of valueTests) t.match(guide, `| \`${form}\` |`);
});

t.test('the example with steps is a scenario without diagnostics', async (t) => {
  const { scenario, diagnostics } = read(renderStepsExample());
  t.same(diagnostics, []);
  t.match(scenario, { steps: [{}, {}], cleanupSteps: [{}], until: { withinMs: 20_000, everyMs: 500 } });
  t.match(renderScenarioGuide(), renderStepsExample());
});

t.test('the example with cases is a scenario without diagnostics', async (t) => {
  const { scenario, diagnostics } = read(renderCasesExample());
  t.same(diagnostics, []);
  t.match(scenario?.cases, [{ name: 'first page' }, { name: 'page zero' }, { name: 'no number' }]);
  t.match(renderScenarioGuide(), renderCasesExample());
  t.equal(
    formatScenario(renderCasesExample(), {}, () => {}),
    renderCasesExample(),
  );
});
