import { Ajv2020 } from 'ajv/dist/2020.js';
import t from 'tap';
import { serverRoutes } from '../../../src/server/route-table.ts';
import { startTestServer } from '../test-server.ts';

type Operation = {
  operationId: string;
  summary: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object }>; $ref?: string }>;
};
type Document = {
  openapi: string;
  info: { version: string };
  servers: { url: string }[];
  security: object[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; responses: Record<string, object>; securitySchemes: object };
};

async function getDocument(t: Parameters<typeof startTestServer>[0]): Promise<Document> {
  const api = await startTestServer(t);
  const response = await api.ask('GET', '/api/openapi.json');
  t.equal(response.headers.get('content-type'), 'application/json');
  return response.json();
}

function listOperations(document: Document): [path: string, method: string, operation: Operation][] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, Operation] => [path, method, operation]),
  );
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const references = '$ref' in value && typeof value.$ref === 'string' ? [value.$ref] : [];
  return [...references, ...Object.values(value).flatMap(referencesIn)];
}

t.test('every route is in the document, with its version, address and credential', async (t) => {
  const document = await getDocument(t);
  t.match(document, { openapi: '3.1.0', info: { version: '0.4.0' }, servers: [{ url: 'http://localhost:7700' }] });
  t.same(document.security, [{ bearer: [] }]);
  const documentedRoutes = listOperations(document).map(([path, method]) => `${method.toUpperCase()} ${path}`);
  t.same(documentedRoutes.sort(), serverRoutes.map(({ method, path }) => `${method} ${path}`).sort());
});

t.test('operation ids are unique, and every operation has problem responses', async (t) => {
  const operations = listOperations(await getDocument(t));
  const ids = operations.map(([, , { operationId }]) => operationId);
  t.equal(new Set(ids).size, ids.length);
  for (const [path, method, operation] of operations) {
    t.ok(operation.summary, `${method} ${path} has a summary`);
    t.same(operation.responses.default, { $ref: '#/components/responses/Problem' });
  }
});

t.test('exactly the open routes are documented as such', async (t) => {
  const operations = listOperations(await getDocument(t));
  const open = operations.filter(([, , { security }]) => security?.length === 0).map(([path]) => path);
  const openPaths = serverRoutes.filter(({ action }) => action === 'anyone').map(({ path }) => path);
  t.same(open.sort(), openPaths.sort());
  t.ok(openPaths.includes('/healthz'));
});

t.test('path templates and path parameters are the same', async (t) => {
  for (const [path, method, { parameters = [] }] of listOperations(await getDocument(t))) {
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    t.same(
      inPath.map(({ name }) => `{${name}}`),
      path.match(/\{\w+\}/g) ?? [],
      `${method} ${path}`,
    );
    t.ok(inPath.every(({ required }) => required));
  }
});

t.test('every reference resolves, and every named schema is used', async (t) => {
  const document = await getDocument(t);
  const references = new Set(referencesIn(document));
  const parts = Object.entries({ schemas: document.components.schemas, responses: document.components.responses });
  const known = parts.flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
  t.same(
    [...references].filter((reference) => !known.includes(reference)),
    [],
  );
  t.same(
    known.filter((name) => !references.has(name)),
    [],
  );
});

t.test('every schema is valid JSON Schema of draft 2020-12', async (t) => {
  const document = await getDocument(t);
  const ajv = new Ajv2020({ strict: true, strictTuples: false, validateFormats: false, allowUnionTypes: true });
  ajv.addVocabulary(['components']);
  ajv.addSchema({ $id: 'document', components: document.components }, undefined, undefined, false);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    t.ok(await ajv.validateSchema(schema), name);
    t.doesNotThrow(() => ajv.compile({ $ref: `document#/components/schemas/${name}` }), name);
  }
  for (const [path, , { parameters = [] }] of listOperations(document)) {
    for (const { name, schema } of parameters) t.ok(await ajv.validateSchema(schema), `${path} ${name}`);
  }
});
