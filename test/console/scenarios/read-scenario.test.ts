import t from 'tap';
import { formatTemplate, readScenario } from '../../../src/console/scenarios/read-scenario.ts';
import { scenarioTemplate } from '../../../src/console/scenarios/scenario-template.ts';

t.test('the template of a new scenario is valid', async (t) => {
  const { scenario, diagnostics } = readScenario(scenarioTemplate);
  t.same(diagnostics, []);
  t.equal(scenario?.id, 'RT-GET-document');
  t.equal(scenario && formatTemplate(scenario.trigger.path), '/api/v2/document');
});

t.test('an error has its line, and any variable name is accepted', async (t) => {
  const { scenario, diagnostics } = readScenario(scenarioTemplate.replace('body has data', 'body hass data'));
  t.equal(scenario, undefined);
  t.equal(diagnostics[0]?.range.start.line, 19);
  t.same(readScenario(scenarioTemplate.replace('/document', '/document?key=${ANY_NAME}')).diagnostics, []);
});
