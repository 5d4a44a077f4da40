/** Coverage of a document by scenarios, and drift between them. */
import t from 'tap';
import type { Json } from '../../src/check/json/json.ts';
import { importSource } from '../../src/import/import-source.ts';
import { computeCoverage } from '../../src/import/openapi/coverage.ts';
import { type OpenApiDocument, readOpenApi } from '../../src/import/openapi/document.ts';
import { findDrift, findResponseDrift } from '../../src/import/openapi/drift.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { renderScenario, type ScenarioDraft } from '../../src/scenario/scenario-draft.ts';

const item = {
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer' },
    name: { type: 'string' },
    owner: { type: 'object', properties: { mail: { type: 'string' } } },
  },
};
const answer = (schema: Json) => ({ content: { 'application/json': { schema } } });
const list = {
  type: 'object',
  required: ['data', 'count'],
  properties: { count: { type: 'integer' }, data: { type: 'array', items: item } },
};
const source = {
  openapi: '3.0.3',
  servers: [{ url: '/api' }],
  paths: {
    '/items': {
      get: { responses: { 200: answer(list), 401: {} } },
      post: { responses: { 201: answer(item), 422: {} } },
    },
    '/items/{id}': { get: { responses: { 200: answer(item), 404: {} } }, delete: { responses: { '2XX': {} } } },
    '/items/latest': { get: { responses: { 200: answer(item) } } },
  },
};

function readDocument(value: Json): OpenApiDocument {
  const document = readOpenApi(value);
  if (!document) throw new Error('the document cannot be read');
  return document;
}
const document = readDocument(source);

function createScenario(draft: Partial<ScenarioDraft> & Pick<ScenarioDraft, 'id' | 'path' | 'checks'>): Scenario {
  const text = renderScenario({ method: 'GET', name: draft.id, ...draft });
  const scenario = parseScenario(text, { variables: 'any' }, ({ message }) => t.fail(message));
  if (!scenario) throw new Error(text);
  return scenario;
}

t.test('operations, statuses and fields are covered by what is sent, expected and named', async (t) => {
  const { operations, totals } = computeCoverage(document, [
    createScenario({
      id: 'A',
      path: '/api/items?page=1',
      checks: ['status=200', 'body has count equals 1', 'body every data.id', 'body has data[0].owner.mail'],
    }),
    createScenario({ id: 'B', path: '/api/items', checks: ['status=401'] }),
    createScenario({ id: 'C', path: '/api/items/latest', checks: ['status=2xx', 'body count(id) equals 1'] }),
    createScenario({
      id: 'D',
      path: '/api/items/${item_id}',
      checks: ['status=404'],
      steps: [
        {
          name: 'add',
          method: 'POST',
          path: '/api/items',
          body: '{}',
          bullets: ['status=201', 'capture item_id = body.id'],
        },
      ],
      cleanup: [{ name: 'remove', method: 'DELETE', path: '/api/items/${item_id}', bullets: ['status=204'] }],
    }),
  ]);
  const find = (request: string) => operations.find(({ method, path }) => `${method} ${path}` === request);
  t.match(find('GET /api/items'), {
    scenarios: ['A', 'B'],
    statuses: [
      { status: '200', scenarios: ['A'] },
      { status: '401', scenarios: ['B'] },
    ],
    fields: [
      { field: 'count', isChecked: true },
      { field: 'data.id', isChecked: true },
      { field: 'data.name', isChecked: false },
      { field: 'data.owner.mail', isChecked: true },
    ],
  });
  t.match(
    find('GET /api/items/latest'),
    { scenarios: ['C'], fields: [{ field: 'id', isChecked: true }, {}, {}] },
    'the literal path, not the parameter',
  );
  t.match(find('GET /api/items/{id}'), {
    scenarios: ['D'],
    statuses: [{ scenarios: [] }, { status: '404', scenarios: ['D'] }],
  });
  t.match(find('POST /api/items'), {
    scenarios: ['D'],
    statuses: [{ scenarios: ['D'] }, { scenarios: [] }],
    fields: [{ field: 'id', isChecked: true }, {}, {}],
  });
  t.match(find('DELETE /api/items/{id}'), { statuses: [{ status: '2XX', scenarios: ['D'] }] });
  t.match(totals, {
    operations: { covered: 5, total: 5 },
    statuses: { covered: 6, total: 8 },
    fields: { covered: 5, total: 13 },
  });
});

t.test('a check of an error says nothing about the fields of the success', async (t) => {
  const { operations } = computeCoverage(document, [
    createScenario({ id: 'A', path: '/api/items', checks: ['status=401', 'body has count'] }),
  ]);
  t.ok(operations[0]?.fields.every(({ isChecked }) => !isChecked));
});

t.test('an import covers every operation, status of success and required field', async (t) => {
  const { scenarios } = await importSource('openapi', [{ name: 'x.json', text: JSON.stringify(source) }]);
  const parsed = scenarios.flatMap(({ text }) => parseScenario(text, { variables: 'any' }, () => {}) ?? []);
  t.same(computeCoverage(document, parsed).totals.operations, { covered: 5, total: 5 });
  t.same(findDrift(document, parsed), []);
});

t.test('drift: what only one side has, and statuses that are not documented', async (t) => {
  const drift = findDrift(document, [
    createScenario({ id: 'A', path: '/api/items', checks: ['status=204'] }),
    createScenario({ id: 'B', path: '/api/gone', checks: ['status=200'] }),
    createScenario({ id: 'C', path: '/api/items/${ID}', checks: ['status=2xx'] }),
  ]);
  t.match(drift, [
    { kind: 'operation_without_scenario', request: 'POST /api/items' },
    { kind: 'operation_without_scenario', request: 'DELETE /api/items/{id}' },
    { kind: 'operation_without_scenario', request: 'GET /api/items/latest' },
    { kind: 'undocumented_status', scenario: 'A', detail: 'the scenario expects 204, documented are 200, 401' },
    { kind: 'scenario_without_operation', scenario: 'B', request: 'GET /api/gone' },
  ]);
  t.equal(drift.length, 5);
});

t.test('responses: an undocumented status, another media type, a missing field and a wrong type', async (t) => {
  const scenario = createScenario({ id: 'A', path: '/api/items', checks: ['status=200'] });
  const json = [['Content-Type', 'application/json; charset=utf-8']] as const;
  const find = (status: number, value: Json, headers: readonly (readonly [string, string])[] = json) =>
    findResponseDrift(document, scenario, { status, headers, body: { kind: 'json', value } }).map(
      ({ detail }) => detail,
    );
  t.same(find(200, { count: 1, data: [{ id: 1 }] }), []);
  t.match(find(500, {}), [/answers 500, documented are 200, 401/]);
  t.match(find(200, { count: 'many', data: [] }), [/`count`: expected .*got "many"/]);
  t.match(find(200, { count: 1 }), [/`data`: expected/]);
  t.match(find(200, {}, [['Content-Type', 'text/html']]), [
    /has the type text\/html, documented are application\/json/,
  ]);
  t.same(find(401, {}), [], 'no type is documented for it');
});

t.test('a value with slashes matches the last parameter; text between parameters must be there', async (t) => {
  const paths = ['/refs/{ref}', '/compare/{basehead}', '/compare/{base}...{head}', '/refs/{ref}/log'];
  const git = readDocument({
    openapi: '3.1.0',
    paths: Object.fromEntries(paths.map((path) => [path, { get: { responses: { 200: {} } } }])),
  });
  const find = (path: string) =>
    computeCoverage(git, [createScenario({ id: 'A', path, checks: ['status=200'] })]).operations.find(
      ({ scenarios }) => scenarios.length > 0,
    )?.path;
  t.equal(find('/refs/heads/main'), '/refs/{ref}');
  t.equal(find('/refs/main/log'), '/refs/{ref}/log');
  t.equal(find('/compare/a...b'), '/compare/{base}...{head}');
  t.equal(find('/compare/a-b'), '/compare/{basehead}');
  t.equal(find('/other/a'), undefined);
});

t.test('calls of gRPC are no operations of a document', async (t) => {
  const text = renderScenario({ method: 'GET', name: 'order', id: 'G', path: '/api/items', checks: ['status=200'] });
  const call = text
    .replace('# Scenario: GET', '# Scenario: GRPC')
    .replace('GET ${INGESTION_URL}/api/items', 'GRPC a.B/C');
  const scenario = parseScenario(call, { variables: 'any' }, ({ message }) => t.fail(message));
  if (!scenario) return t.fail(call);
  t.match(scenario.trigger.grpc, { service: 'a.B' });
  const withoutScenario = (entries: ReturnType<typeof findDrift>) =>
    entries.filter(({ kind }) => kind === 'scenario_without_operation');
  t.same(withoutScenario(findDrift(document, [scenario])), []);
  t.equal(computeCoverage(document, [scenario]).totals.operations.covered, 0);
});
