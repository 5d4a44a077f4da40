/** Texts of agents that name files: refused with what to write, and judged by the files that they hold. */
import t from 'tap';
import { scenarioText } from '../../executor/test-project.ts';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createAgentTestSetup } from '../agent-test-setup.ts';

const trigger = 'GET ${INGESTION_URL}/a\nX-Request-Id: ${correlation_id}';
const plain = scenarioText(trigger, ['status=200']);
const references: readonly (readonly [file: string, text: string])[] = [
  ['sign-in.md', plain.replace('## TRIGGER', '## STEPS\n\nuse: sign-in.md\n\n## TRIGGER')],
  ['RT-GET-session', plain.replace('## TRIGGER', '## STEPS\n\nuse: RT-GET-session\n\n## TRIGGER')],
  ['page.json', scenarioText(trigger, ['status=200', 'body equals file page.json'])],
  ['page.schema.json', scenarioText(trigger, ['status=200', 'body matches schema page.schema.json'])],
  ['pages.csv', `${plain.trimEnd()}\n\n## CASES\n\nfrom: pages.csv\n`],
];

t.test('a text that names a file which it does not hold is refused, and told where the file belongs', async (t) => {
  const target = await startHttpTarget(respondWithJson({ count: 2 }));
  t.teardown(() => target.close());
  const setup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const agent = await setup.agent('test');
  for (const [file, text] of references) {
    const validated = await agent.call('author__validate_scenario', { text });
    t.match(validated.data, { valid: false }, file);
    t.match(validated.text, 'SCENARIO_FILE_ABSENT', file);
    t.match(validated.text, `## FILES\`, \`### ${file}`, `${file}: the fix`);
    const refused = await agent.callExpectingError('author__write_scenario', { text });
    t.match(refused.data, { code: 'SCENARIO_REFUSED' }, file);
  }
  t.match((await agent.call('author__list_scenarios')).data, { scenarios: [] });
  t.equal(target.arrived.length, 0, 'nothing was sent');
});

t.test('a text that holds its file is judged by it', async (t) => {
  const target = await startHttpTarget(respondWithJson({ count: 2 }));
  t.teardown(() => target.close());
  const setup = await createAgentTestSetup(t, { baseUrl: target.origin });
  const agent = await setup.agent('test');
  for (const [count, state] of [
    [2, 'passed'],
    [3, 'failed'],
  ] as const) {
    const own = scenarioText(trigger, ['status=200', 'body equals file page.json']).trimEnd();
    const text = `${own}\n\n## FILES\n\n### page.json\n\n~~~\n{"count": ${count}}\n~~~\n`;
    await agent.call('author__write_scenario', { text });
    const suite = await agent.call('author__request_suite', { ids: ['RT-document'] });
    t.match(suite.text, state, `${count}`);
  }
});
