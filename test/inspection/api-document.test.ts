/** OpenAPI documents of both generations: which operations can be requested as they stand. */
import t from 'tap';
import type { Json } from '../../src/check/json/json.ts';
import {
  findDocumentedOperation,
  listPlainReads,
  parseApiDocument,
  summarizeDocument,
} from '../../src/inspection/api-document.ts';

const document = parseApiDocument({
  openapi: '3.0.3',
  info: { title: 'Shop' },
  servers: [{ url: 'https://shop.example/api/v1/' }],
  paths: {
    '/items': {
      get: { responses: { '200': {} }, parameters: [{ $ref: '#/components/parameters/limit' }] },
      post: {
        responses: { '201': {}, default: {} },
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Item' } } } },
      },
    },
    '/items/{id}': { get: { responses: { '200': {} } } },
    '/search': { get: { parameters: [{ name: 'q', in: 'query', required: true }] } },
  },
  components: {
    parameters: { limit: { name: 'limit', in: 'query' } },
    schemas: {
      Item: {
        type: 'object',
        required: ['title', 'kind'],
        properties: { title: { type: 'string' }, kind: { enum: ['book', 'map'] }, note: { type: 'string' } },
      },
    },
  },
});

t.test('operations have the prefix of the server, their status and what they require', async (t) => {
  if (!document) return t.fail('it is a document');
  t.equal(document.format, 'OpenAPI 3.0.3');
  t.same(
    listPlainReads(document).map(({ path }) => path),
    ['/api/v1/items'],
  );
  t.equal(summarizeDocument(document), '4 operations, 1 of them GET without required parameters');
});

t.test('an operation is found by the path that is requested, with an example of its body', async (t) => {
  if (!document) return t.fail('it is a document');
  t.equal(findDocumentedOperation(document, 'GET', '/api/v1/items/7?full=1')?.path, '/api/v1/items/{id}');
  const post = findDocumentedOperation(document, 'POST', '/api/v1/items');
  t.equal(post?.status, 201);
  t.same(JSON.parse(post?.bodyExample ?? ''), { title: 'text', kind: 'book' });
  t.equal(findDocumentedOperation(document, 'DELETE', '/api/v1/items'), undefined);
});

t.test('version 2 has a base path and body parameters', async (t) => {
  const old = parseApiDocument({
    swagger: '2.0',
    basePath: '/v1',
    paths: { '/a': { post: { parameters: [{ in: 'body', required: true, schema: { example: { b: 1 } } }] }, get: {} } },
  });
  t.equal(old?.format, 'Swagger 2.0');
  t.match(old?.operations, [
    { method: 'GET', path: '/v1/a', needsParameters: false },
    { method: 'POST', path: '/v1/a', needsParameters: false, bodyExample: '{\n  "b": 1\n}' },
  ]);
});

t.test('anything else is no document', async (t) => {
  const others: readonly Json[] = [
    null,
    [],
    {},
    { openapi: '3' },
    { openapi: 4, paths: {} },
    { swagger: '1.2', paths: {} },
  ];
  for (const value of others) t.equal(parseApiDocument(value), undefined);
});

t.test('references that lead in a circle, and schemas without an end, are bounded', async (t) => {
  const circular = parseApiDocument({
    openapi: '3.1.0',
    paths: { '/a': { post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/s/a' } } } } } } },
    s: {
      a: { type: 'object', properties: { next: { $ref: '#/s/a' }, loop: { $ref: '#/s/loop' } } },
      loop: { $ref: '#/s/loop' },
    },
  });
  t.match(circular?.operations[0]?.bodyExample, /"next"/);
});
