/** A client of an older revision has other roots: its servers hear it, and ask the session that said so. */
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { startScriptedServer } from '../differential/wire/scripted-http.ts';
import { WireClient } from '../differential/wire/wire-client.ts';
import { createConnection, startTestGateway, type TestGateway } from '../fixtures/test-gateway.ts';

const look = { name: 'good__alpha', arguments: { steps: [], end: 'roots' } };

async function startHub(t: Test): Promise<TestGateway> {
  const { url } = await startScriptedServer(t, '2025-11-25', 'sessions');
  return startTestGateway(t, [createConnection('good', url, { protocol: 'older' })]);
}

async function connect(t: Test, { server }: TestGateway, answersQuestions: boolean): Promise<WireClient> {
  const client = new WireClient(server.url, { revision: '2025-11-25', hasSession: true, answersQuestions });
  await client.start('hub.good+note://one');
  t.teardown(() => client.close());
  return client;
}

t.test('the server asks the session whose roots have changed, and no other of the same person', async (t) => {
  const hub = await startHub(t);
  const [changing, other] = [await connect(t, hub, true), await connect(t, hub, true)];
  for (const client of [changing, other]) await client.request('tools/call', look);
  await changing.changeRoots();
  await eventually(() => changing.apart.length > 0);
  const roots = await eventually(async () => {
    const text = JSON.stringify(await other.request('tools/call', look));
    return text.includes('file:///root-1') && text;
  });
  t.match(roots, 'work');
  t.same(changing.apart, [{ ask: 'roots/list', params: {} }]);
  t.same(other.apart, []);
  const row = { method: 'roots/list', connection: { name: 'good' }, outcome: 'ok', redact: { keep: false } };
  t.match(
    hub.audit.filter(({ method }) => method === 'roots/list'),
    [row],
  );
});

t.test('nothing is announced for a client that has not declared that its roots change', async (t) => {
  const hub = await startHub(t);
  const client = await connect(t, hub, false);
  await client.request('tools/call', look);
  await client.changeRoots();
  t.match(await client.request('tools/call', look), [{ result: { content: [{ text: 'null' }] } }]);
  t.same(client.apart, []);
});

t.test('a session that has ended answers the server no more', async (t) => {
  const hub = await startHub(t);
  const [ending, other] = [await connect(t, hub, true), await connect(t, hub, true)];
  for (const client of [ending, other]) await client.request('tools/call', look);
  await ending.changeRoots();
  await ending.close();
  t.notMatch(JSON.stringify(await other.request('tools/call', look)), 'stray');
  t.same(other.apart, []);
});
