/** An agent writes scenarios from what another tool has. */
import t from 'tap';
import { respondWithJson, startHttpTarget } from '../../targets/http-target.ts';
import { createAgentTestSetup } from '../agent-test-setup.ts';

const document = JSON.stringify({
  openapi: '3.1.0',
  paths: {
    '/items': {
      get: { operationId: 'items', responses: { 200: {} } },
      post: { requestBody: { content: { 'multipart/form-data': {} } }, responses: { 201: {} } },
    },
    '/items/{id}': {
      get: { operationId: 'item', parameters: [{ name: 'id', in: 'path', required: true }], responses: { 200: {} } },
    },
  },
});

t.test(
  'a document becomes scenarios of the catalogue in one call; existing ones and those without values are named',
  async (t) => {
    const target = await startHttpTarget(respondWithJson({}));
    t.teardown(() => target.close());
    const { agent } = await createAgentTestSetup(t, { baseUrl: target.origin });
    const author = await agent('test');
    const first = await author.call('author__write_scenario', { import: { format: 'openapi', source: document } });
    t.match(first.data, {
      stored: ['RT-GET-items'],
      existing: [],
      waiting: ['RT-GET-item'],
      variables: ['ID'],
      untranslated: 1,
    });
    t.match(
      first.text,
      /scenarios\.variables of the config does not list \(ID\): RT-GET-item\nNot translated:\n1 × .*multipart/,
    );
    t.match((await author.call('author__list_scenarios')).data, { scenarios: [{ scenario_id: 'RT-GET-items' }] });
    const second = await author.call('author__write_scenario', { import: { format: 'openapi', source: document } });
    t.match(second.data, { stored: [], existing: ['RT-GET-items'] });

    const coverage = await author.call('author__list_scenarios', { openapi: document });
    t.match(coverage.data, {
      totals: { operations: { covered: 1, total: 3 } },
      missing: ['POST /items', 'GET /items/{id}'],
    });
    t.match(
      coverage.text,
      /^Checked: 1 of 3 operations, 1 of 3 statuses, 0 of 0 fields\.\nWithout a scenario: POST \/items/,
    );
    t.match(await author.callExpectingError('author__list_scenarios', { openapi: '{}' }), {
      data: { code: 'AGENT_IMPORT_NOTHING' },
    });

    t.match(await author.callExpectingError('author__write_scenario', { import: { format: 'har', source: '{}' } }), {
      data: { code: 'AGENT_IMPORT_NOTHING' },
    });
    t.match(
      await author.callExpectingError('author__write_scenario', { text: 'x', import: { format: 'har', source: '{}' } }),
      {
        data: { code: 'AGENT_TEXT_AMBIGUOUS' },
      },
    );
  },
);
