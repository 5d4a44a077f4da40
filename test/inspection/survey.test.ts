import t from 'tap';
import { findApiDocument } from '../../src/inspection/survey.ts';
import type { ProbeResult, TargetProbe } from '../../src/inspection/target-probe.ts';

/** A target that has one text, and nothing elsewhere. */
function createProbe(path: string, text: string): TargetProbe {
  const respond = (status: number, body: string): ProbeResult => ({
    response: { status, headers: [], body: { kind: 'not_json', problem: 'it is text', excerpt: '' }, text: body },
  });
  return {
    send: async (request) => (request.path === path ? respond(200, text) : respond(404, 'nothing here')),
    count: () => 0,
    close: () => {},
  };
}

const yaml = `openapi: 3.0.3
info: {title: Shop, version: "1"}
paths:
  /items:
    get: &read
      responses: {"200": {description: the items}}
    head: *read
`;

t.test('an API document in YAML is found, also one with aliases', async (t) => {
  t.match(await findApiDocument(createProbe('/openapi.yaml', yaml)), {
    path: '/openapi.yaml',
    title: 'Shop',
    operations: [
      { method: 'GET', path: '/items', status: 200 },
      { method: 'HEAD', path: '/items' },
    ],
  });
});

t.test('other texts are no document', async (t) => {
  for (const text of [
    'openapi: 3.0.3\npaths: [',
    'a page about openapi: 3.0',
    'openapi: 3.0.3\n',
    'openapi: &a {b: *a}',
  ])
    t.equal(await findApiDocument(createProbe('/openapi.yaml', text)), undefined, text);
});
