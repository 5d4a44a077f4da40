/** A hub that reaches itself, directly or through another hub, notices it and refuses. */
import t from 'tap';
import { createHubMarks, isLoop, readHubPath } from '../../../src/hub/protocol/hub-path.ts';
import { createToolCall, post } from '../fixtures/mcp-requests.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

async function listNames(gateway: Awaited<ReturnType<typeof startTestGateway>>, hub = 'h1') {
  const client = await gateway.client('ann', modernClient, hub);
  const { tools, _meta } = await client.listTools();
  return { client, names: tools.map(({ name }) => name), missing: _meta?.['vp/missing_connections'] };
}

t.test('a hub connected to itself offers nothing twice', async (t) => {
  const good = await startTestServer(t, createReferenceServer('newest').handle);
  const gateway = await startTestGateway(t, [createConnection('good', good.url)]);
  gateway.connections.push(
    createConnection('self', gateway.server.url, { credential: { kind: 'header', header: 'Authorization' } }),
  );
  gateway.emitChange();
  for (let round = 0; round < 3; round += 1) {
    const { names, missing } = await listNames(gateway);
    t.equal(names.length, 8);
    t.notOk(names.some((name) => name.startsWith('self__')));
    t.match(missing, [{ connection: 'self', code: 'UPSTREAM_LOOP' }]);
  }
  t.match(
    gateway.states.find((state) => state.startsWith('c-self')),
    /^c-self failing self leads back to this hub/,
  );
});

t.test('two hubs connected to each other offer what is theirs, and calls end where they come back', async (t) => {
  const good = await startTestServer(t, createReferenceServer('newest').handle);
  const first = await startTestGateway(t, [createConnection('good', good.url)]);
  const second = await startTestGateway(t, [
    createConnection('first', first.server.url),
    createConnection('own', good.url),
  ]);
  first.connections.push(createConnection('second', second.server.url));
  first.emitChange();
  const { client, names } = await listNames(first);
  t.ok(names.includes('second__own__echo'));
  t.notOk(names.some((name) => name.startsWith('second__first__')));
  const echo = { name: 'second__own__echo', arguments: { text: 'through' } };
  t.match(await client.callTool(echo), { content: [{ text: 'through' }] });
});

t.test('a request that comes back is refused and recorded', async (t) => {
  const good = await startTestServer(t, createReferenceServer('newest').handle, 0, (headers) => {
    hubPath = headers.get('vp-hub-path') ?? hubPath;
  });
  let hubPath = '';
  const gateway = await startTestGateway(t, [createConnection('good', good.url)]);
  const [body, headers] = createToolCall('good__link', {});
  t.equal((await post(gateway.server.url, 'ann', body, headers)).status, 200);
  t.match(hubPath, /^[\w-]{16}$/);
  const refused = await post(gateway.server.url, 'ann', body, { ...headers, 'Vp-Hub-Path': `other,${hubPath}` });
  t.equal(refused.status, 508);
  t.match(await refused.json(), { id: 7, error: { data: { code: 'HUB_LOOP' } } });
  t.match(gateway.audit.at(-1), { outcome: 'denied', reason: 'HUB_LOOP' });
  const params = { ...Object(body.params), _meta: { ...Object(Object(body.params)._meta), 'vp/hub-path': hubPath } };
  t.equal(
    (await post(gateway.server.url, 'ann', { ...body, params }, headers)).status,
    508,
    'a program forwards _meta',
  );
  const passed = await post(gateway.server.url, 'ann', body, { ...headers, 'Vp-Hub-Path': 'other' });
  t.equal(passed.status, 200);
  t.match(hubPath, /^other,[\w-]{16}$/, 'the path grows');
});

t.test('a path of too many hubs is a loop, and marks say nothing about hubs', async (t) => {
  const [getMark, getOther] = [createHubMarks('secret'), createHubMarks('another')];
  t.equal(getMark('h1'), getMark('h1'));
  t.equal(new Set([getMark('h1'), getMark('h2'), getOther('h1')]).size, 3);
  const read = (path: string) => readHubPath(new Headers({ 'vp-hub-path': path }), undefined);
  t.same(read('a, b,"c"'), ['a', 'b']);
  t.notOk(isLoop(read('1,2,3,4,5,6,7,8'), 'own'));
  t.ok(isLoop(read('1,2,3,4,5,6,7,8,9'), 'own'));
  t.ok(isLoop(read(`${'x,'.repeat(500)}own`), 'own'));
});
