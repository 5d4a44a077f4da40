import t from 'tap';
import { readScenario, templateText } from '../../../src/console/scenarios/read.ts';
import { template } from '../../../src/console/scenarios/template.ts';

t.test('a new scenario begins without a problem', async (t) => {
  const { scenario, diagnostics } = readScenario(template);
  t.same(diagnostics, []);
  t.equal(scenario?.id, 'RT-GET-document');
  t.equal(scenario && templateText(scenario.trigger.path), '/api/v2/document');
});

t.test('an error has its line, names that only the instance knows are let through', async (t) => {
  const { scenario, diagnostics } = readScenario(template.replace('body has data', 'body hass data'));
  t.equal(scenario, undefined);
  t.equal(diagnostics[0]?.range.start.line, 19);
  t.same(readScenario(template.replace('/document', '/document?key=${ANY_NAME}')).diagnostics, []);
});
