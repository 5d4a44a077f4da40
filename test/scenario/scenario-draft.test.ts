/** Names and texts of new scenarios. */
import t from 'tap';
import { formatScenario } from '../../src/scenario/format.ts';
import { httpMethods } from '../../src/scenario/scenario.ts';
import { draftScenario, nameScenario, renderScenario } from '../../src/scenario/scenario-draft.ts';

t.test('a scenario is named for the last telling part of its path', async (t) => {
  const cases: readonly [string, string][] = [
    ['/', 'root'],
    ['/items', 'items'],
    ['/api/v2/document', 'document'],
    ['/api', 'api'],
    ['/-/ping', 'ping'],
    ['/items/42', 'items-42'],
    ['/42', '42'],
    ['/a%20b/c.json?x=1', 'c.json'],
    ['/a%20b/', 'a-b'],
    ['/items/${ID}', 'items'],
  ];
  for (const [path, name] of cases) t.equal(nameScenario('GET', path, new Set())?.name, name, path);
  t.equal(nameScenario('POST', '/items', new Set())?.id, 'RT-POST-items');
});

t.test('a taken name is extended to the left, and then refused', async (t) => {
  t.equal(nameScenario('GET', '/shop/items', new Set(['RT-GET-items']))?.id, 'RT-GET-shop-items');
  t.equal(nameScenario('GET', '/items', new Set(['RT-GET-items'])), undefined);
});

t.test('the text is valid and already in the canonical form', async (t) => {
  const base = { id: 'RT-POST-items', name: 'items', tags: ['http'], method: 'POST', path: '/items' } as const;
  const body = '{\n  "title": "a"\n}';
  for (const draft of [
    { ...base, headers: [], body, checks: ['status=201', 'body has id'] },
    {
      ...base,
      method: 'GET' as const,
      headers: [['X-Api-Key', '${API_KEY}']] as const,
      body: undefined,
      checks: ['status=200', 'log lines>=1'],
    },
  ]) {
    const text = renderScenario(draft);
    const diagnostics: object[] = [];
    t.equal(
      formatScenario(text, { variables: ['API_KEY'] }, (diagnostic) => diagnostics.push(diagnostic)),
      text,
    );
    t.same(diagnostics, []);
  }
});

t.test('a draft for the console is valid for every method, and its ID is free', async (t) => {
  const isValid = (text: string): boolean => formatScenario(text, { variables: 'any' }, () => {}) === text;
  for (const method of httpMethods)
    t.ok(isValid(renderScenario(draftScenario({ method, path: '/api/v2/document?page=1' }))), method);
  const taken = new Set(['RT-GET-items', 'RT-GET-items-2']);
  t.equal(draftScenario({ method: 'GET', path: '/items' }, taken).id, 'RT-GET-items-3');
  t.ok(draftScenario({ method: 'GET', path: `/${'a'.repeat(300)}` }).id.length <= 100);
  const headers = [['Content-Type', 'application/json']] as const;
  const request = { method: 'POST', path: '/items', headers, body: '{ "a": "~~~~" }\n', timeoutS: 5 } as const;
  const text = renderScenario({ ...draftScenario(request), tags: ['smoke', 'items'] });
  t.ok(isValid(text), text);
  t.match(text, '~~~~~json\n{ "a": "~~~~" }\n~~~~~');
  t.match(text, '- Tags: smoke, items');
  t.match(text, '## TIMEOUT\n\n5s');
  const form = { ...request, headers: [['Content-Type', 'text/plain']] as const, body: 'x' };
  t.match(renderScenario(draftScenario(form)), '~~~\nx\n~~~');
});
