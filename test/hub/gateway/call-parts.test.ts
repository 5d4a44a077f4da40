/** The policy decides `_meta` and the answers to questions of a server as it decides arguments, and the audit has them. */
import type { ClientOptions } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { createToken } from '../fixtures/hub-people.ts';
import { createReferenceServer, type Era } from '../fixtures/reference-server.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { startTestHub } from '../fixtures/test-hub.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const path = '/api/v1/hubs/acme';
const elicitation = { capabilities: { elicitation: {} } };
const eras: readonly (readonly [Era, ClientOptions])[] = [
  ['newest', { ...modernClient, ...elicitation }],
  ['older', elicitation],
];

async function startPartHub(t: Test, upstreamEra: Era, options: ClientOptions, document: object) {
  const hub = await startTestHub(t);
  const reference = createReferenceServer(upstreamEra);
  // A refused answer may be given again, so the server still waits.
  t.teardown(() => reference.forgetSessions());
  const upstream = await startTestServer(t, reference.handle);
  await hub.ana.ask('POST', `${path}/connections`, { name: 'good', kind: 'http', url: upstream.url });
  const body = { document, if_revision: 0, accept_unknown_tools: true };
  t.equal((await hub.ana.ask('PUT', `${path}/policy`, body)).status, 200);
  const { token } = await createToken(hub.max, 'acme');
  const client = await hub.client(token, options);
  const answers: object[] = [];
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { ...answers.shift() } }));
  const listRows = async (method: string) =>
    (await hub.gateway.audit.search(hub.hub.hub_id, { limit: 50 })).items.filter((row) => row.method === method);
  return { hub, client, answers, reference, listRows };
}

for (const upstreamEra of ['newest', 'older'] as const)
  for (const [clientEra, options] of eras)
    t.test(`answers of a client of the ${clientEra} era to a server of the ${upstreamEra} one`, async (t) => {
      const schema = { properties: { content: { properties: { name: { maxLength: 5 }, password: {} } } } };
      const document = { arguments: [{ tools: 'good__ask', part: 'answers', schema, message: 'short names only' }] };
      const { client, answers, listRows } = await startPartHub(t, upstreamEra, options, document);
      const call = async (answer: object): Promise<string> => {
        answers.push(answer);
        return JSON.stringify(
          await client.callTool({ name: 'good__ask', arguments: {} }).catch((error: unknown) => String(error)),
        );
      };
      t.match(await call({ name: 'Ann', password: 'tell nobody' }), /hello Ann/);
      t.match(await listRows('tools/call answers'), [{ outcome: 'ok', tool: 'ask', person: 'Max' }]);
      const [row] = await listRows('tools/call answers');
      t.match(row?.arguments, /"name":"Ann"/);
      t.notMatch(row?.arguments, /tell nobody/, 'fields that hold secrets are hidden as in arguments');
      t.notMatch(await call({ name: 'Annabella' }), /hello/, 'the server never gets it');
      t.match((await listRows('tools/call answers'))[0], { outcome: 'denied', reason: /^short names only/ });
    });

for (const [clientEra, options] of eras)
  t.test(`_meta of a client of the ${clientEra} era`, async (t) => {
    const schema = { properties: { 'example.org/tenant': { const: 'acme' } } };
    const document = {
      arguments: [{ tools: 'good__echo', part: 'meta', schema, message: 'only our tenant' }],
      bounds: { meta_bytes: 2000 },
    };
    const { client, listRows, reference, hub } = await startPartHub(t, 'newest', options, document);
    const call = async (meta: object, name = 'good__echo'): Promise<string> =>
      JSON.stringify(await client.callTool({ name, arguments: { text: 'x' }, _meta: { ...meta } }));
    t.match(await call({ 'example.org/tenant': 'acme' }), /"x"/);
    t.equal(reference.calls, 1);
    t.match(await call({ 'example.org/tenant': 'other' }), /Not allowed: only our tenant/);
    t.match(await call({ 'example.org/x': 'y'.repeat(3000) }), /larger than 2000 bytes/);
    t.equal(reference.calls, 1, 'the server never gets them');
    t.match(await listRows('tools/call _meta'), [{ outcome: 'denied' }, { outcome: 'denied' }, { outcome: 'ok' }]);
    await call({ 'example.org/tenant': 'other' }, 'good__logs');
    t.equal((await listRows('tools/call _meta')).length, 3, 'recorded only where a rule checks it');
    const keep = { document: { audit: { keep_meta: true } }, if_revision: 1 };
    t.equal((await hub.ana.ask('PUT', `${path}/policy`, keep)).status, 200);
    await call({ 'example.org/tenant': 'other' }, 'good__logs');
    t.match((await listRows('tools/call _meta'))[0], { tool: 'logs', arguments: /"example.org\/tenant":"other"/ });
    const trial = await hub.ana.ask('POST', `${path}/policy/trial`, { document });
    t.match(await trial.json(), { calls: 5, refused: [], allowed: [] }, 'a trial decides the same calls alike');
  });
