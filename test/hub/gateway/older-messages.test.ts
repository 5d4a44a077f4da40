/** What clients of older revisions get and send, message by message. */
import t, { type Test } from 'tap';
import type { Revision } from '../differential/wire/script.ts';
import { type HttpKind, startScriptedServer } from '../differential/wire/scripted-http.ts';
import { type ClientKind, WireClient } from '../differential/wire/wire-client.ts';
import { createConnection, startTestGateway } from '../fixtures/test-gateway.ts';

async function startClient(t: Test, kind: Partial<ClientKind>, server: readonly [Revision, HttpKind]) {
  const { url } = await startScriptedServer(t, ...server);
  const gateway = await startTestGateway(t, [createConnection('good', url)]);
  const client = new WireClient(gateway.server.url, {
    revision: '2025-06-18',
    hasSession: true,
    answersQuestions: false,
    ...kind,
  });
  await client.start('hub.good+note://one');
  t.teardown(() => client.close());
  return client;
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
