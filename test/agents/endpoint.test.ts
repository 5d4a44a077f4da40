/** `POST /mcp` of an executor: who gets in, and what the others are told. */
import { request as send } from 'node:http';
import t from 'tap';
import { agentHandler } from '../../src/agents/mcp-handler.ts';
import type { AgentPorts } from '../../src/agents/ports.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import type { Verified } from '../../src/executor/agent-credentials.ts';
import { agentEndpoint } from '../../src/executor/agent-endpoint.ts';
import { agentHouse, connected, eras, instance } from './house.ts';

const nowhere = 'http://127.0.0.1:1';
const asking = (token?: string): Request =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });

function endpointOf(verified: Verified) {
  const portsFor = (): AgentPorts => {
    throw new TypeError('nobody was let in');
  };
  return agentEndpoint({
    door: { verify: async () => verified },
    portsFor,
    version: '0.4.0',
    log: { error: () => {} },
  });
}

t.test('an unknown token, and none, are answered as unrecognized, with the cure', async (t) => {
  const endpoint = endpointOf({ kind: 'unrecognized' });
  for (const token of [undefined, 'vpr_shop_test_x', 'not a token']) {
    const response = await endpoint.answer(asking(token), undefined);
    t.equal(response.status, 401);
    t.match(response.headers.get('www-authenticate'), /^Bearer /);
    t.match(await response.json(), {
      jsonrpc: '2.0',
      error: { message: /^unrecognized router token: .*vp agent-token/, data: { code: 'AGENT_TOKEN_UNRECOGNIZED' } },
    });
  }
});

t.test('a token that nobody can judge now is not called unrecognized', async (t) => {
  const endpoint = endpointOf({ kind: 'unreachable', problem: 'it is away', cure: 'start it' });
  const response = await endpoint.answer(asking('vpr_shop_test_x'), undefined);
  t.equal(response.status, 503);
  t.match(await response.json(), {
    error: { message: /it is away: start it/, data: { code: 'AGENT_TOKEN_UNVERIFIED' } },
  });
});

for (const era of eras) {
  t.test(`clients with another token hear why (${era} era)`, async (t) => {
    const house = await agentHouse(t, { baseUrl: nowhere });
    const token = await house.token('test');
    const other = `${token.slice(0, -3)}xyz`;
    for (const wrong of [other, 'vpr_elsewhere_test_0']) {
      const error: unknown = await connected(`${house.url}/mcp`, wrong, era).catch((thrown: unknown) => thrown);
      // In the newer era the client keeps the words of the answer beside its own.
      t.match(`${error} ${JSON.stringify(error)}`, /unrecognized router token/);
    }
  });

  t.test(`the list is the role's (${era} era)`, async (t) => {
    const house = await agentHouse(t, { baseUrl: nowhere });
    const test = await house.agent('test', era);
    const product = await house.agent('product', era);
    const [{ tools: sixteen }, { tools: six }] = [await test.client.listTools(), await product.client.listTools()];
    t.equal(sixteen.length, 16);
    t.equal(six.length, 6);
    t.ok(JSON.stringify(sixteen).length <= 6800, `${JSON.stringify(sixteen).length}`);
    t.match(test.client.getServerVersion(), { name: 'vp' });
    t.match(test.client.getInstructions(), /author__get_guide/);
  });
}

t.test('only POST, only with our Host', async (t) => {
  const house = await agentHouse(t, { baseUrl: nowhere });
  const url = new URL(`${house.url}/mcp`);
  t.equal((await fetch(url)).status, 405);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = { host: 'elsewhere.example', 'content-type': 'application/json' };
  send(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode)).end('{}');
  t.equal(await promise, 421);
});

t.test('a client that leaves, and a listener that closes, end a wait', async (t) => {
  for (const end of ['client', 'listener']) {
    const waiting = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const get = async (_id: string, { signal }: { signal?: AbortSignal | undefined; waitMs?: number } = {}) => {
      signal?.addEventListener('abort', () => ended.resolve());
      waiting.resolve();
      return new Promise<never>(() => {});
    };
    const ports = { control: { runs: { get } }, clock: systemClock, redact: (text: string) => text };
    const handler = agentHandler('0.4.0', () => {});
    const [leaving, closing] = [new AbortController(), new AbortController()];
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'author__get_run_status', arguments: { run_id: '1' } },
    };
    const request = new Request(asking(), { body: JSON.stringify(body), method: 'POST', signal: leaving.signal });
    // @ts-expect-error only what the tool needs
    const answered = handler.answer(request, { role: 'test', instance, ports, closing: closing.signal });
    const read = answered.then((response) => response.text()).catch(() => '');
    await waiting.promise;
    if (end === 'client') leaving.abort();
    else closing.abort();
    await ended.promise;
    t.pass(`${end} ended it`);
    await handler.close();
    void read;
  }
});

t.test('what breaks inside a tool is told as such, and its reason goes to the log', async (t) => {
  const faults: unknown[] = [];
  const get = async () => {
    throw vpError('INTERNAL', {}, { detail: 'a private reason' });
  };
  const handler = agentHandler('0.4.0', (fault) => faults.push(fault));
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'product__get_run_logs', arguments: { run_id: '1' } },
  };
  const request = new Request(asking(), { body: JSON.stringify(body), method: 'POST' });
  const ports = { control: { runs: { get } }, redact: (text: string) => text };
  // @ts-expect-error only what the tool needs
  const response = await handler.answer(request, { role: 'product', instance, ports, closing: undefined });
  const text = await response.text();
  t.match(text, /"isError":true/);
  t.match(text, /INTERNAL/);
  t.notMatch(text, 'a private reason');
  t.equal(faults.length, 1);
});
