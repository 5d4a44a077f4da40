import t from 'tap';
import { findIdProblem } from '../../../src/console/scenarios/id-problem.ts';
import { parseScenarioText } from '../../../src/console/scenarios/parse-scenario-text.ts';
import { scenarioTemplate } from '../../../src/console/scenarios/scenario-page.tsx';
import { findQuickFixes } from '../../../src/scenario/quick-fixes.ts';
import { applyEdit } from '../../scenario/apply-edit.ts';

const { scenario } = parseScenarioText(scenarioTemplate);
const id = 'RT-GET-document';

t.test('a taken ID is reported at its position, with a free one', async (t) => {
  t.equal(findIdProblem(scenario, undefined, new Set(['RT-OTHER'])), undefined);
  const problem = findIdProblem(scenario, undefined, new Set([id, `${id}-2`]));
  t.match(problem, { code: 'SCENARIO_ID_IN_USE', severity: 'error', range: { start: { line: 5, column: 7 } } });
  const [fix] = problem ? findQuickFixes(scenarioTemplate, problem) : [];
  t.match(fix && applyEdit(scenarioTemplate, fix.edit), `- ID: ${id}-3\n`);
});

t.test('an ID that differs from the saved scenario is reported', async (t) => {
  t.equal(findIdProblem(scenario, id, new Set([id])), undefined);
  const problem = findIdProblem(scenario, 'RT-OLD', new Set(['RT-OLD']));
  t.match(problem, { code: 'SCENARIO_ID_CHANGED' });
  const [fix] = problem ? findQuickFixes(scenarioTemplate, problem) : [];
  t.match(fix && applyEdit(scenarioTemplate, fix.edit), '- ID: RT-OLD\n');
});
