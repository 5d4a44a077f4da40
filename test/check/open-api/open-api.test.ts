import t from 'tap';
import type { Check } from '../../../src/check/check-kind.ts';
import { schemaKind } from '../../../src/check/kinds/schema.ts';
import { emptyObservation } from '../../../src/check/observation.ts';
import { findOperation, isOpenApi, type OpenApiDescription } from '../../../src/check/open-api/document.ts';
import { createOpenApiReducer, reduceOpenApi } from '../../../src/check/open-api/reduce-document.ts';
import { createSchemaValidator } from '../../../src/executor/response/schema-validator.ts';
import { judgeCheck, observeBody, parseValid } from '../check-fixtures.ts';

const json = (schema: object) => ({ content: { 'application/json; charset=utf-8': { schema } } });

function createDocument(openapi: string, order: object): OpenApiDescription {
  return {
    openapi,
    servers: [{ url: 'https://shop.example/api/v2/' }],
    paths: {
      '/orders/{id}': {
        get: {
          responses: {
            200: json({ $ref: '#/components/schemas/order' }),
            '4XX': { $ref: '#/components/responses/problem' },
            204: { description: 'nothing' },
          },
        },
        delete: { responses: { default: { $ref: '#/components/responses/problem' } } },
      },
      '/orders/latest': { get: { responses: { 200: json({ type: 'integer' }) } } },
      '/unused': { get: { responses: { 200: json({ $ref: '#/components/schemas/unused' }) } } },
    },
    components: {
      responses: { problem: json({ type: 'object', required: ['message'] }) },
      schemas: { order, item: { type: 'object', required: ['sku'] }, unused: { type: 'string' } },
    },
  };
}

const order31 = {
  type: 'object',
  required: ['id', 'password', 'items'],
  properties: {
    id: { type: 'integer', example: 7 },
    password: { type: 'string', writeOnly: true },
    note: { type: ['string', 'null'] },
    items: { type: 'array', items: { $ref: '#/components/schemas/item' } },
  },
};
const document31 = createDocument('3.1.0', order31);
const document30 = createDocument('3.0.3', {
  ...order31,
  properties: {
    ...order31.properties,
    note: { type: 'string', nullable: true },
    total: { type: 'number', minimum: 0, exclusiveMinimum: true },
  },
});

const validateSchema = createSchemaValidator();

function readCheck(document: object, method: string, path: string): Check | string {
  const check = parseValid('body matches schema openapi.json') as never;
  return schemaKind.withFile?.(check, JSON.stringify(document), { method, path }) ?? '';
}

function judgeBody(document: object, path: string, body: object | number, status = 200, method = 'GET') {
  const check = readCheck(document, method, path);
  if (typeof check === 'string') throw new Error(check);
  return judgeCheck(check, { ...observeBody(body as never, status), validateSchema });
}

const right = { id: 7, note: null, items: [{ sku: 'a' }] };

t.test('a response is judged by its operation and status', async (t) => {
  for (const document of [document31, document30]) {
    t.match(judgeBody(document, '/api/v2/orders/${id}', right), { passed: true });
    t.match(judgeBody(document, '/api/v2/orders/7?x=1', { ...right, items: [{}] }), {
      passed: false,
      pointer: '/items/0',
      actual: /must have required property 'sku'/,
    });
    t.match(judgeBody(document, '/api/v2/orders/7', { message: 'gone' }, 404), { passed: true });
    t.match(judgeBody(document, '/api/v2/orders/7', right, 404), { passed: false, actual: /'message'/ });
    t.match(judgeBody(document, '/api/v2/orders/7', {}, 500), {
      passed: false,
      actual: 'the document has no response for this status',
    });
    t.match(judgeBody(document, '/api/v2/orders/7', right, 204), { passed: false, actual: /no JSON body/ });
    t.match(
      judgeBody(document, '/api/v2/orders/7', {}, 500, 'DELETE'),
      { passed: false, actual: /'message'/ },
      'default',
    );
  }
  const check = readCheck(document31, 'GET', '/api/v2/orders/7');
  if (typeof check === 'string') throw new Error(check);
  t.match(judgeCheck(check, { ...emptyObservation, status: 204, validateSchema }), { passed: true, actual: 'no body' });
});

t.test('what only requests have is refused in a response', async (t) => {
  for (const document of [document31, document30])
    t.match(judgeBody(document, '/api/v2/orders/7', { ...right, password: 'hunter2' }), {
      passed: false,
      pointer: '/password',
      actual: '`password` must not be there',
    });
});

t.test('a response that the document refers to and does not have is not one without a body', async (t) => {
  const broken = { ...document31, components: { schemas: { order: order31, item: {} } } };
  const check = readCheck(broken, 'DELETE', '/api/v2/orders/7');
  if (typeof check === 'string') throw new Error(check);
  t.match(judgeCheck(check, { ...emptyObservation, status: 204, validateSchema }), { passed: false });
  t.match(judgeBody(broken, '/api/v2/orders/7', {}, 500, 'DELETE'), { passed: false, actual: /resolve reference/ });
});

t.test('the words of 3.0 for null and for bounds are understood', async (t) => {
  t.equal(judgeBody(document30, '/api/v2/orders/7', { ...right, note: 3 }).passed, false);
  t.equal(judgeBody(document30, '/api/v2/orders/7', { ...right, total: 0 }).passed, false);
  t.equal(judgeBody(document30, '/api/v2/orders/7', { ...right, total: 0.1 }).passed, true);
});

t.test('the path with the most literal segments counts, and servers have a path', async (t) => {
  t.match(judgeBody(document31, '/api/v2/orders/latest', 3), { passed: true });
  t.equal(findOperation(document31, { method: 'GET', path: '/orders/latest' })?.template, '/orders/latest');
  t.equal(findOperation(document31, { method: 'GET', path: '/api/v2/orders' }), undefined);
  t.equal(findOperation(document31, { method: 'GET', path: '/other/orders/7' }), undefined);
  t.match(readCheck(document31, 'PUT', '/api/v2/orders/7'), 'it has no operation PUT /api/v2/orders/7');
});

t.test('a method of its own in a path is part of it', async (t) => {
  const respond = (schema: object) => ({ post: { responses: { 200: json(schema) } } });
  const paths = {
    '/orders/{id}:cancel': respond({ type: 'string' }),
    '/orders/{id}:refund': respond({ type: 'integer' }),
    '/files/{name}.{format}': respond({ type: 'boolean' }),
    '/orders/{id}': respond({ type: 'array' }),
  };
  const find = (path: string) => findOperation({ openapi: '3.0.0', paths }, { method: 'POST', path })?.template;
  t.equal(find('/orders/7:cancel'), '/orders/{id}:cancel');
  t.equal(find('/orders/${id}:refund'), '/orders/{id}:refund');
  t.equal(find('/orders/7'), '/orders/{id}');
  t.equal(find('/orders/7:other'), '/orders/{id}');
  t.equal(find('/files/a.pdf'), '/files/{name}.{format}');
  t.equal(find('/files/a'), undefined);
});

t.test('what the document says of other bodies is no JSON and not nothing', async (t) => {
  const respond = (content: object | undefined) => ({ get: { responses: { 200: { description: 'ok', content } } } });
  const schema = { type: 'object', required: ['id'] };
  const paths = {
    '/any': respond({ '*/*': { schema } }),
    '/application': respond({ 'application/*': { schema } }),
    '/text': respond({ 'text/csv': { schema: { type: 'string' } } }),
    '/none': respond({}),
  };
  const document = { openapi: '3.0.1', paths };
  for (const path of ['/any', '/application']) {
    t.equal(judgeBody(document, path, { id: 1 }).passed, true, path);
    t.match(judgeBody(document, path, {}), { passed: false, actual: /'id'/ }, path);
  }
  const judgeEmpty = (path: string) => {
    const check = readCheck(document, 'GET', path);
    if (typeof check === 'string') throw new Error(check);
    return judgeCheck(check, { ...emptyObservation, status: 200, validateSchema });
  };
  t.equal(judgeEmpty('/any').passed, false);
  t.equal(judgeEmpty('/text').passed, false, 'a text that is missing');
  t.match(judgeBody(document, '/text', { id: 1 }), { passed: false, actual: /no JSON body/ });
  t.equal(judgeEmpty('/none').passed, true);
});

t.test('a document is reduced to what is sent, and judges the same', async (t) => {
  const requests = [{ method: 'GET', path: '/api/v2/orders/${id}' }];
  const text = reduceOpenApi(JSON.stringify(document31), requests);
  t.notMatch(text, 'unused');
  t.equal(reduceOpenApi(text, requests), text);
  const reduced: object = JSON.parse(text);
  t.ok(isOpenApi(reduced));
  t.equal(judgeBody(reduced, '/api/v2/orders/7', right).passed, true);
  t.equal(judgeBody(reduced, '/api/v2/orders/7', { ...right, items: [{}] }).passed, false);
  t.equal(judgeBody(reduced, '/api/v2/orders/7', {}, 404).passed, false);
  t.equal(reduceOpenApi('{"openapi": 1', requests), '{"openapi": 1', 'what is no document stays');
});

t.test('a reduced document has no annotations and no other bodies, but what has their names', async (t) => {
  const named = {
    type: 'object',
    description: 'lost',
    'x-internal': 'lost',
    example: { $ref: '#/components/schemas/unused' },
    required: ['description', 'example'],
    properties: {
      description: { type: 'string', title: 'lost', enum: ['lost or not'] },
      example: { type: 'object', additionalProperties: { type: 'integer', description: 'lost' } },
    },
  };
  const document = createDocument('3.1.0', named);
  const requests = [{ method: 'GET', path: '/api/v2/orders/7' }];
  const text = reduceOpenApi(JSON.stringify(document), requests);
  t.notMatch(text, /"lost"|x-internal|unused|nothing/);
  t.equal(reduceOpenApi(text, requests), text);
  t.equal(text.split('\n').filter((line) => line.includes('"order": ')).length, 1, 'a component on a line');
  const judge = (body: object) => judgeBody(JSON.parse(text), '/api/v2/orders/7', body).passed;
  t.equal(judge({ description: 'lost or not', example: { a: 1 } }), true);
  t.equal(judge({ description: 'other', example: {} }), false);
  t.equal(judge({ description: 'lost or not', example: { a: 'b' } }), false);
  t.equal(judge({ description: 'lost or not' }), false);
});

t.test('a reference into a component, or to one with a slash in its name, is followed', async (t) => {
  const document = createDocument('3.1.0', {
    type: 'object',
    properties: {
      sku: { $ref: '#/components/schemas/item/properties/sku' },
      part: { $ref: '#/components/schemas/spare~1part' },
    },
  });
  const schemas = {
    ...(document.components as { schemas: object }).schemas,
    item: { type: 'object', properties: { sku: { type: 'string' } } },
    'spare/part': { type: 'integer' },
  };
  const whole = { ...document, components: { schemas } };
  const reduced: object = JSON.parse(
    reduceOpenApi(JSON.stringify(whole), [{ method: 'GET', path: '/api/v2/orders/7' }]),
  );
  for (const each of [whole, reduced]) {
    t.equal(judgeBody(each, '/api/v2/orders/7', { sku: 'a', part: 1 }).passed, true);
    t.equal(judgeBody(each, '/api/v2/orders/7', { sku: 1 }).passed, false);
    t.match(judgeBody(each, '/api/v2/orders/7', { part: 'x' }), { passed: false, pointer: '/part' });
  }
});

t.test('one reducer reads a document once, and another one after it', async (t) => {
  const reduce = createOpenApiReducer();
  const requests = [{ method: 'GET', path: '/api/v2/orders/7' }];
  for (const document of [document31, document30, document31]) {
    const text = JSON.stringify(document);
    t.equal(reduce(text, requests), reduceOpenApi(text, requests));
  }
  t.equal(reduce('{}', requests), '{}');
});

t.test('the value of the last parameter may have slashes where no other path matches', async (t) => {
  const get = { get: { responses: {} } };
  const git = {
    ...{ openapi: '3.1.0', servers: [] },
    paths: { '/refs/{ref}': get, '/refs/{ref}/log': get, '/refs/{ref}/{part}': get },
  } as OpenApiDescription;
  const find = (path: string) => findOperation(git, { method: 'GET', path })?.template;
  t.equal(find('/refs/heads/feature/a'), '/refs/{ref}/{part}');
  t.equal(find('/refs/main/log'), '/refs/{ref}/log');
  t.equal(find('/refs/main'), '/refs/{ref}');
  t.equal(find('/other/main/log'), undefined);
});

t.test('references in a circle end', async (t) => {
  const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/order' } } };
  const document = createDocument('3.1.0', node);
  t.equal(judgeBody(document, '/api/v2/orders/7', { next: { next: {} } }).passed, true);
  t.equal(judgeBody(document, '/api/v2/orders/7', { next: { next: 3 } }).passed, false);
  const lost = createDocument('3.1.0', { $ref: '#/components/schemas/absent' });
  t.match(judgeBody(lost, '/api/v2/orders/7', {}), { passed: false, actual: /^the schema cannot be used: / });
});
