/** OpenAPI documents: one scenario for each operation, with values, credentials, checks and the steps that make an id. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { stringify } from 'yaml';
import { importTexts } from './import-text.ts';

const order = {
  type: 'object',
  required: ['id', 'state', 'total', 'note', 'tags'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    state: { type: 'string', enum: ['open', 'paid'] },
    total: { type: 'number' },
    note: { type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' } },
    extra: { type: 'string' },
  },
};

const shop = {
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  servers: [{ url: 'https://shop.example/api/v2/' }],
  security: [{ key: [] }],
  paths: {
    '/orders': {
      get: {
        operationId: 'listOrders',
        summary: 'List the orders\nof a customer',
        tags: ['Orders'],
        parameters: [
          { name: 'customer', in: 'query', required: true, schema: { type: 'string' } },
          { name: 'size', in: 'query', required: true, schema: { type: 'integer', default: 20 } },
          { name: 'page', in: 'query', schema: { type: 'integer' } },
        ],
        responses: {
          200: {
            content: {
              'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Order' } } },
            },
          },
        },
      },
      post: {
        operationId: 'createOrder',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewOrder' } } } },
        responses: {
          201: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } },
          422: {},
        },
      },
    },
    '/orders/{orderId}': {
      parameters: [{ name: 'orderId', in: 'path', required: true, schema: { type: 'integer' } }],
      get: {
        operationId: 'getOrder',
        responses: { 200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Order' } } } } },
      },
      delete: { operationId: 'deleteOrder', responses: { 204: {} } },
    },
    '/shops/{shop}': {
      get: {
        security: [],
        deprecated: true,
        responses: { '2XX': { content: { 'text/plain': {} } } },
        parameters: [{ name: 'shop', in: 'path', required: true, schema: { type: 'string' } }],
      },
    },
    '/uploads': { post: { requestBody: { content: { 'multipart/form-data': {} } }, responses: { 201: {} } } },
    '/notes': {
      post: { requestBody: { content: { 'text/plain': { schema: { type: 'string' } } } }, responses: { 201: {} } },
    },
  },
  components: {
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
    schemas: {
      Order: order,
      NewOrder: {
        allOf: [
          { type: 'object', required: ['item'], properties: { item: { type: 'string', example: 'lamp' } } },
          { required: ['count'], properties: { count: { type: 'integer' }, more: { type: 'string' } } },
        ],
      },
    },
  },
};

t.test('operations become scenarios with values of the document, and variables where it has none', async (t) => {
  const { text, variables } = await importTexts(t, 'openapi', JSON.stringify(shop));
  t.match(text('RT-GET-listOrders'), '# Scenario: GET listOrders - List the orders of a customer\n');
  t.match(text('RT-GET-listOrders'), '- Tags: http, orders\n');
  t.match(text('RT-GET-listOrders'), 'GET ${INGESTION_URL}/api/v2/orders?customer=${CUSTOMER}&size=20\n');
  t.match(text('RT-GET-listOrders'), 'X-Api-Key: ${X_API_KEY}\n');
  t.match(text('RT-POST-createOrder'), '~~~json\n{\n  "item": "lamp",\n  "count": 1\n}\n~~~');
  t.notMatch(text('RT-GET-shops'), /X-Api-Key/, 'this operation needs no credential');
  t.match(text('RT-GET-shops'), '/api/v2/shops/${SHOP}\n');
  t.match(text('RT-GET-shops'), 'deprecated');
  t.same(
    variables.map(({ name }) => name),
    ['CUSTOMER', 'SHOP', 'X_API_KEY'],
  );
});

t.test('checks are what the schema requires; a value that may be null is only there', async (t) => {
  const { bullets } = await importTexts(t, 'openapi', JSON.stringify(shop));
  t.same(bullets('RT-POST-createOrder'), [
    'status=201',
    'header Content-Type containing application/json',
    'body has id matching ^[0-9]+$',
    'body has state matching ^(open|paid)$',
    'body has total matching ^-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?$',
    'body has note',
    'body has tags matching ^\\[',
  ]);
  t.match(bullets('RT-GET-listOrders').slice(2, 4), [
    'body every or none id matching ^[0-9]+$',
    'body every or none state matching ^(open|paid)$',
  ]);
  t.same(bullets('RT-GET-shops'), ['status=2xx', 'header Content-Type containing text/plain']);
});

t.test('an id comes from the operation that creates it, and what was created is removed', async (t) => {
  const { text, untranslated } = await importTexts(t, 'openapi', JSON.stringify(shop));
  const read = text('RT-GET-getOrder');
  t.match(read, /### POST \/api\/v2\/orders\n[\s\S]+- status=201\n- capture order_id = body\.id\n\n## TRIGGER\n/);
  t.match(read, 'GET ${INGESTION_URL}/api/v2/orders/${order_id}\n');
  t.match(read, /## CLEANUP\n\n### DELETE [\s\S]+- status=204\n$/);
  t.notMatch(text('RT-DELETE-deleteOrder'), /### DELETE/, 'a removal is not removed again');
  t.match(untranslated, [{ source: 'POST /api/v2/uploads', reason: /does not say which parts/ }]);
  t.match(text('RT-POST-notes'), /Content-Type: text\/plain\n[\s\S]*~~~[a-z]*\ntext\n~~~/);
});

t.test('YAML, version 2 and links are read', async (t) => {
  const yaml = await importTexts(t, 'openapi', { 'openapi.yaml': stringify(shop) });
  t.equal(yaml.scenarios.length, 6);
  const swagger = {
    swagger: '2.0',
    basePath: '/v1',
    securityDefinitions: { basic: { type: 'basic' } },
    security: [{ basic: [] }],
    paths: {
      '/pets': {
        post: {
          consumes: ['application/x-www-form-urlencoded'],
          parameters: [{ name: 'name', in: 'formData', type: 'string', required: true }],
          responses: { 200: { schema: { type: 'object', properties: { ref: { type: 'string' } } } } },
        },
      },
    },
  };
  const { text } = await importTexts(t, 'openapi', JSON.stringify(swagger));
  t.match(text('RT-POST-pets'), 'POST ${INGESTION_URL}/v1/pets\n');
  t.match(text('RT-POST-pets'), '~~~form\nname = text\n~~~');
  t.match(text('RT-POST-pets'), 'Authorization: Basic ${BASIC_CREDENTIALS}\n');
  const linked = {
    openapi: '3.0.3',
    paths: {
      '/jobs': {
        post: {
          operationId: 'start',
          responses: {
            202: { links: { job: { operationId: 'readJob', parameters: { job: '$response.body#/data/ref' } } } },
          },
        },
      },
      '/status/{job}': {
        get: {
          operationId: 'readJob',
          parameters: [{ name: 'job', in: 'path', required: true }],
          responses: { 200: {} },
        },
      },
    },
  };
  t.match(
    (await importTexts(t, 'openapi', JSON.stringify(linked))).text('RT-GET-readJob'),
    '- capture job = body.data.ref\n',
  );
});

t.test('a published document of version 3.1 is read as a whole', async (t) => {
  const { text, scenarios, uploads, untranslated } = await importTexts(t, 'openapi', {
    'galaxy.yaml': readFileSync('node_modules/@scalar/galaxy/dist/3.1.yaml', 'utf8'),
  });
  t.ok(scenarios.length >= 9, `${scenarios.length} scenarios`);
  t.same(untranslated, []);
  t.match(text('RT-POST-uploadImage'), '~~~multipart\nimage = @');
  t.equal(uploads.length, 1);
});

t.test('a document of a thousand operations is read as a whole', async (t) => {
  const paths = Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [
      `/things${index}/{id}`,
      {
        ...shop.paths['/orders/{orderId}'],
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        get: { ...shop.paths['/orders/{orderId}'].get, operationId: `get${index}` },
        delete: { responses: { 204: {} } },
      },
    ]),
  );
  const { scenarios } = await importTexts(t, 'openapi', JSON.stringify({ ...shop, paths }));
  t.equal(scenarios.length, 1000);
  t.equal(new Set(scenarios.map(({ id }) => id)).size, 1000);
});

t.test('what is no document says so', async (t) => {
  for (const source of ['{"a": 1}', 'a: [', 'hello', '{'])
    t.match((await importTexts(t, 'openapi', source)).untranslated, [{ reason: /not an OpenAPI document/ }], source);
});

t.test('a YAML document of nested aliases costs no more than its text', async (t) => {
  const levels = Array.from(
    { length: 30 },
    (_, index) => `  l${index + 1}: &l${index + 1} { type: object, properties: { a: *l${index}, b: *l${index} } }`,
  );
  const text = `openapi: 3.1.0\ncomponents:\n  l0: &l0 { type: string }\n${levels.join('\n')}\npaths:\n  /a:\n    get:\n      responses:\n        '200': { content: { application/json: { schema: *l30 } } }\n`;
  const { bullets } = await importTexts(t, 'openapi', { 'a.yaml': text });
  t.same(bullets('RT-GET-a'), ['status=200', 'header Content-Type containing application/json']);
});
