/** What clients of older revisions get and send, message by message. */
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import type { CallEnd, Revision, Step } from '../differential/wire/script.ts';
import { type HttpKind, startScriptedServer } from '../differential/wire/scripted-http.ts';
import { type ClientKind, WireClient } from '../differential/wire/wire-client.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';

type Server = readonly [Revision, HttpKind];

async function startHub(t: Test, server: Server): Promise<string> {
  const { url } = await startScriptedServer(t, ...server);
  // On a busy machine a server that is asked for its era may not answer in time.
  const protocol = server[0] === '2026-07-28' ? 'newest' : 'older';
  const gateway = await startTestGateway(t, [createConnection('good', url, { protocol })]);
  return gateway.server.url;
}

async function connect(t: Test, url: string, kind: Partial<ClientKind>): Promise<WireClient> {
  const client = new WireClient(url, { revision: '2025-06-18', hasSession: true, answersQuestions: false, ...kind });
  await client.start('hub.good+note://one');
  t.teardown(() => client.close());
  return client;
}

async function startClient(t: Test, kind: Partial<ClientKind>, server: Server): Promise<WireClient> {
  return connect(t, await startHub(t, server), kind);
}

const older = ['2025-06-18', 'sessions'] as const;
const missing = { uri: 'hub.good+alpha://missing' };

t.test('an older client gets the older code for a resource that does not exist, a newest one the newest', async (t) => {
  const client = await startClient(t, {}, older);
  t.match(await client.request('resources/read', missing), [
    { error: { code: -32002, message: 'Resource not found' } },
  ]);
  const newest = await startClient(t, { revision: '2026-07-28', hasSession: false }, older);
  t.match(await newest.request('resources/read', missing), [
    { error: { code: -32602, data: { uri: 'alpha://missing' } } },
  ]);
});

t.test('an error keeps all members of its data', async (t) => {
  const client = await startClient(t, {}, older);
  const error = { code: -32002, message: 'gone', data: { uri: 'note://one', since: 'Monday' } };
  const params = { name: 'good__alpha', arguments: { steps: [], end: error } };
  t.match(await client.request('tools/call', params), [{ error }]);
});

t.test('a client without a session gets messages of the log, as it does from the server', async (t) => {
  const client = await startClient(t, { hasSession: false }, ['2025-06-18', 'stateless']);
  const steps = ['debug', 'warning'].map((level) => ({ do: 'log', level, data: level }));
  const trace = await client.request('tools/call', { name: 'good__alpha', arguments: { steps, end: 'text' } });
  t.match(trace, [{ method: 'notifications/message', params: { level: 'warning', data: 'warning' } }, { result: {} }]);
});

t.test('an argument of the name __proto__ reaches the server in a batch too', async (t) => {
  const client = await startClient(t, {}, older);
  const args = JSON.parse('{"__proto__":"x","whom":"y"}');
  const [trace] = await client.batch([['prompts/get', { name: 'good__beta', arguments: args }]]);
  t.match(trace, [{ result: { messages: [{ content: { text: '{"__proto__":"x","whom":"y"}' } }, {}] } }]);
});

const completion = 'notifications/elicitation/complete';
const formsAtUrls = { revision: '2025-11-25', answersQuestions: true } as const;
const withForms = ['2025-11-25', 'sessions'] as const;

function callAlpha(client: WireClient, steps: readonly Step[], end: CallEnd = 'text') {
  return client.request('tools/call', { name: 'good__alpha', arguments: { steps, end } });
}

function findCompletions({ apart }: WireClient) {
  return apart.filter(({ method }) => method === completion);
}

t.test('the session that was asked to open a form at a URL is told that it was completed, once', async (t) => {
  const url = await startHub(t, withForms);
  const client = await connect(t, url, formsAtUrls);
  const other = await connect(t, url, formsAtUrls);
  await callAlpha(client, [{ do: 'ask', kind: 'url' }]);
  // Both sessions at the server get the message.
  const again = { do: 'complete', elicitationId: 'e-1' } as const;
  await callAlpha(other, [{ do: 'complete', elicitationId: 'e-unknown' }, again, again]);
  await eventually(() => findCompletions(client).length > 0);
  await callAlpha(other, [again, { do: 'change', list: 'tools' }]);
  await eventually(() => client.apart.some(({ method }) => method === 'notifications/tools/list_changed'));
  t.strictSame(findCompletions(client), [{ jsonrpc: '2.0', method: completion, params: { elicitationId: 'e-1' } }]);
  t.strictSame(findCompletions(other), []);
});

t.test('so is the session whose call failed for lack of a form', async (t) => {
  const url = await startHub(t, withForms);
  const client = await connect(t, url, formsAtUrls);
  const other = await connect(t, url, formsAtUrls);
  const form = { mode: 'url', elicitationId: 'e-2', url: 'https://pay.example.com/', message: 'Pay here' };
  const error = { code: -32042, message: 'sign in first', data: { elicitations: [form] } };
  t.match(await callAlpha(client, [], error), [{ error }]);
  await callAlpha(other, [{ do: 'complete', elicitationId: 'e-2' }]);
  await eventually(() => findCompletions(client).length > 0);
  t.strictSame(findCompletions(other), []);
});

t.test('the context of a completion keeps all of its members, whatever their names', async (t) => {
  const client = await startClient(t, {}, older);
  const context = { arguments: JSON.parse('{"__proto__":"x","owner":"ann"}') };
  const params = { ref: { type: 'ref/prompt', name: 'good__alpha' }, argument: { name: 'whom', value: 'a' }, context };
  const sent = '{"arguments":{"__proto__":"x","owner":"ann"}}';
  t.match(await client.request('completion/complete', params), [
    { result: { completion: { values: ['whom=a', sent] } } },
  ]);
});
