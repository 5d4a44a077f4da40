import t from 'tap';
import { kinds } from '../../src/check/kinds.ts';
import { valueTests } from '../../src/check/value-test.ts';
import { exampleScenario, scenarioGuide } from '../../src/scenario/guide.ts';
import { evidenceExample } from '../../src/scenario/guide-evidence.ts';
import { layers } from '../../src/scenario/layers.ts';
import { metadataKeys } from '../../src/scenario/metadata.ts';
import { methods } from '../../src/scenario/scenario.ts';
import { headingOf, sections } from '../../src/scenario/sections.ts';
import { read } from './samples.ts';

t.test('the example is a scenario about which there is nothing to say', async (t) => {
  const { scenario, diagnostics } = read(exampleScenario());
  t.same(diagnostics, []);
  t.equal(scenario?.id, 'RT-GET-document');
});

t.test('the guide has every section, key, check, method and the example', async (t) => {
  const guide = scenarioGuide();
  for (const section of sections) t.match(guide, headingOf(section));
  for (const { name } of metadataKeys) t.match(guide, `\`${name}\``);
  for (const { form, example } of kinds) {
    t.match(guide, `\`${form}\``);
    t.match(guide, `\`${example}\``);
  }
  for (const method of methods) t.match(guide, `\`${method}\``);
  t.match(guide, exampleScenario());
  t.match(guide, '${correlation_id}');
});

t.test('the requests it shows can be sent', async (t) => {
  const [, shown = ''] = /\n```\n(POST [\s\S]*?)\n```\n/.exec(scenarioGuide()) ?? [];
  t.match(shown, 'POST ${INGESTION_URL}');
  const text = exampleScenario()
    .replace(/GET \$[^#]*/, () => `${shown}\n\n`)
    .replace('GET document', 'POST folder');
  t.same(read(text).diagnostics, []);
});

t.test('the example with database and log is a scenario about which there is nothing to say', async (t) => {
  const { scenario, diagnostics } = read(evidenceExample());
  t.same(diagnostics, []);
  t.equal(scenario?.queries.length, 1);
  t.match(scenarioGuide(), evidenceExample());
});

t.test('the guide has every layer and every test of a value', async (t) => {
  const guide = scenarioGuide();
  for (const { name } of layers) t.match(guide, `| \`${name}\` |`);
  for (const { form } of valueTests) t.match(guide, `| \`${form}\` |`);
});
