/** Rules, their trial and the audit see the numbers that a server gets, and not what a double makes of them. */
import t, { type Test } from 'tap';
import { origin } from '../../server/test-server.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { createToolCall, jsonHeaders } from '../fixtures/mcp-requests.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';
const schema = { properties: { account: { enum: [9007199254740992] }, amount: { maximum: 1000 } } };
const document = {
  arguments: [{ tools: 'good__echo', schema, message: 'only our account' }],
  bounds: { argument_bytes: 300 },
};

async function startExactHub(t: Test) {
  const hub = await startTestHub(t);
  const reference = createReferenceServer('newest');
  const received: string[] = [];
  const upstream = await startTestServer(t, async (request) => {
    const text = await request.clone().text();
    if (text.includes('"tools/call"')) received.push(text);
    return reference.handle(request);
  });
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const body = { document, if_revision: 0, accept_unknown_tools: true };
  t.equal((await hub.ana.ask('PUT', `${path}/policy`, body)).status, 200);
  const { token } = await createToken(hub.max, 'acme');
  /** `args` is JSON text. */
  const call = async (args: string, name = 'good__echo'): Promise<string> => {
    const [message, headers] = createToolCall(name, 'ARGUMENTS');
    const text = JSON.stringify(message).replace('"ARGUMENTS"', args);
    const param: Record<string, string> = args.includes('"text":"x"') ? { 'Mcp-Param-Text': 'x' } : {};
    const allHeaders = { ...jsonHeaders, ...headers, ...param, Authorization: `Bearer ${token}` };
    const request = new Request(`${origin}/agent/mcp`, { method: 'POST', headers: allHeaders, body: text });
    return (await hub.api.fetch(request)).text();
  };
  const listRows = async () => (await hub.gateway.audit.search(hub.hub.hub_id, { limit: 50 })).items;
  return { hub, call, received, listRows };
}

t.test('a rule refuses numbers that it would see rounded, and the audit has their text', async (t) => {
  const { hub, call, received, listRows } = await startExactHub(t);
  for (const args of [
    '{"text":"x","account":9007199254740993,"amount":1}',
    '{"text":"x","account":9007199254740992,"amount":1000.00000000000001}',
    '{"text":"x","account":9007199254740992,"amount":1e-400}',
  ]) {
    t.match(await call(args), /Not allowed: \/(?:account|amount) is \S+, which no rule can check, because/, args);
    const [row] = await listRows();
    t.match(row, { outcome: 'denied', arguments: args });
  }
  t.match(await call('{"text":"x","account":9007199254740992,"amount":1001}'), /only our account: \/amount/);
  t.same(received, [], 'the server gets none of them');
  const allowed = '{"text":"x","account":9.007199254740992e15,"amount":10.00}';
  t.match(await call(allowed), /"x"/, 'the same numbers in another form');
  t.match(received[0], `"arguments":${allowed}`);
  t.match((await listRows())[0], { outcome: 'ok', arguments: allowed }, 'as the server got them');
  const trial = await hub.ana.ask('POST', `${path}/policy/trial`, { document });
  t.match(await trial.json(), { calls: 5, refused: [], allowed: [] }, 'a trial decides the same calls alike');
});

t.test('without a rule numbers of any size pass', async (t) => {
  const { call, received, listRows } = await startExactHub(t);
  const args = '{"text":"x","account":9007199254740993,"long":1.00000000000000000001}';
  await call(args, 'good__logs');
  t.match(received[0], `"arguments":${args}`);
  t.match((await listRows())[0], { outcome: 'ok', arguments: args });
  await call(`{"n":1.${'0'.repeat(250)}}`, 'good__logs');
  t.equal(received.length, 2);
  t.match(await call(`{"n":1.${'0'.repeat(350)}}`, 'good__logs'), /larger than 300 bytes/, 'the text is measured');
  t.match(await call(`{"note":"${'é'.repeat(160)}"}`, 'good__logs'), /larger than 300 bytes/, 'in UTF-8');
  await call(`{"note":"${'e'.repeat(280)}"}`, 'good__logs');
  t.equal(received.length, 3);
  const spaced = `{"1":[${' '.repeat(400)}],"n":1.0}`;
  t.match(await call(spaced, 'good__logs'), /larger than 300 bytes/, 'with the white space that would be sent');
  t.equal(received.length, 3);
});
