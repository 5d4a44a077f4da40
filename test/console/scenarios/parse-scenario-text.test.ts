import t from 'tap';
import { parseScenarioText } from '../../../src/console/scenarios/parse-scenario-text.ts';
import { scenarioTemplate } from '../../../src/console/scenarios/scenario-page.tsx';
import { formatTemplate } from '../../../src/scenario/format-template.ts';

t.test('the template of a new scenario is valid', async (t) => {
  const { scenario, diagnostics } = parseScenarioText(scenarioTemplate);
  t.same(diagnostics, []);
  t.equal(scenario?.id, 'RT-GET-document');
  t.equal(scenario && formatTemplate(scenario.trigger.path), '/api/v2/document');
});

t.test('an error has its line, and any variable name is accepted', async (t) => {
  const { scenario, diagnostics } = parseScenarioText(scenarioTemplate.replace('body has data', 'body hass data'));
  t.equal(scenario, undefined);
  t.equal(diagnostics[0]?.range.start.line, 19);
  t.same(parseScenarioText(scenarioTemplate.replace('/document', '/document?key=${ANY_NAME}')).diagnostics, []);
  const text = scenarioTemplate.replace('/document', '/document?key=${ANY_NAME}');
  t.match(parseScenarioText(text, ['TENANT']).diagnostics, [{ code: 'SCENARIO_PLACEHOLDER' }]);
  t.same(parseScenarioText(text, ['ANY_NAME']).diagnostics, []);
});
