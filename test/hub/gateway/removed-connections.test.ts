/** A connection that is removed while its definitions are pinned, or changed while its server works. */
import t, { type Test } from 'tap';
import { deleteConnection } from '../../../src/store/control/hubs/connections.ts';
import { eventually } from '../../eventually.ts';
import { pickCalls } from '../fixtures/audit-calls.ts';
import { createToken, readJson, readRefusal } from '../fixtures/hub-people.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';
const listMethods = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

/** The row of the connection `gone` is deleted when its server is asked for a list; the one of `good` stays. */
async function startHubThatLosesConnection(t: Test) {
  const hub = await startTestHub(t);
  const reference = createReferenceServer('newest');
  const good = await startTestServer(t, createReferenceServer('newest').handle);
  const gone = await startTestServer(t, async (request) => {
    const text = request.method === 'POST' ? await request.clone().text() : '{}';
    // Without its notification, which would end the request of the list.
    if (listMethods.includes(JSON.parse(text).method))
      await hub.api.control.database.write((sql) => deleteConnection(sql, connectionId));
    return reference.handle(request);
  });
  const connect = async (name: string, url: string): Promise<string> => {
    const response = hub.ana.ask('POST', `${path}/connections`, { name, kind: 'http', url });
    return (await readJson<{ connection_id: string }>(response)).connection_id;
  };
  await connect('good', good.url);
  const connectionId = await connect('gone', gone.url);
  const { token } = await createToken(hub.max, 'acme');
  return { ...hub, reference, client: await hub.client(token) };
}

t.test('the lists of the other connections are not lost', async (t) => {
  const { client } = await startHubThatLosesConnection(t);
  const { tools } = await client.listTools();
  t.ok(tools.some(({ name }) => name === 'good__echo'));
  t.notOk(tools.some(({ name }) => name.startsWith('gone__')));
  t.same(
    (await client.listPrompts()).prompts.map(({ name }) => name.split('__')[0]),
    ['good'],
  );
});

t.test('a call is refused with its reason, sends nothing, and is in the audit', async (t) => {
  const { client, ana, reference } = await startHubThatLosesConnection(t);
  await t.rejects(client.callTool({ name: 'gone__echo', arguments: { text: 'x' } }), {
    code: -32602,
    message: /connection gone was removed/,
    data: { code: 'CONNECTION_REMOVED' },
  });
  t.equal(reference.calls, 0);
  const { items } = await readJson<{ items: { method: string }[] }>(ana.ask('GET', `${path}/audit`));
  t.match(pickCalls(items), [
    { method: 'tools/call', tool: 'gone__echo', outcome: 'failed', reason: 'CONNECTION_REMOVED' },
  ]);
});

t.test('a prompt is refused with its reason', async (t) => {
  const { client } = await startHubThatLosesConnection(t);
  await t.rejects(client.getPrompt({ name: 'gone__greet', arguments: {} }), {
    message: /connection gone was removed/,
    data: { code: 'CONNECTION_REMOVED' },
  });
});

t.test('a probe says that the connection was removed', async (t) => {
  const { ana } = await startHubThatLosesConnection(t);
  const probe = ana.ask('POST', `${path}/connections/gone/probe`);
  t.equal(await readRefusal(probe), '404 CONNECTION_REMOVED');
});

for (const era of ['newest', 'older'] as const) {
  t.test(`a call at a server of the ${era} era ends with the reason when its connection is changed`, async (t) => {
    const hub = await startTestHub(t);
    const reference = createReferenceServer(era);
    const upstream = await startTestServer(t, reference.handle);
    const good = `${path}/connections/good`;
    await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
    const { token } = await createToken(hub.max, 'acme');
    const client = await hub.client(token);
    await client.listTools();
    const changes = [
      () => hub.ana.ask('PUT', good, { url: `${upstream.url}?other` }),
      () => hub.ana.ask('PUT', good, { enabled: false }),
      () => hub.ana.ask('PUT', good, { enabled: true }),
      () => hub.ana.ask('DELETE', good),
    ];
    for (const [index, change] of changes.entries()) {
      const callCount = reference.calls;
      const call = index === 2 ? undefined : client.callTool({ name: 'good__slow', arguments: {} });
      const ended = call && t.rejects(call, { message: /was closed during the call.*may still have been carried out/ });
      if (call) await eventually(() => reference.calls > callCount);
      t.ok((await change()).ok);
      await ended;
    }
    const { items } = await readJson<{ items: { method: string }[] }>(hub.ana.ask('GET', `${path}/audit`));
    t.same(
      pickCalls(items).map((row) => Object(row).reason),
      ['UPSTREAM_CLOSED', 'UPSTREAM_CLOSED', 'UPSTREAM_CLOSED'],
    );
  });
}
