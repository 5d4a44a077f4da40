/** `POST /mcp` of an executor: authentication and errors. */
import { request as send } from 'node:http';
import t from 'tap';
import { createAgentMcpHandler } from '../../src/agents/mcp-handler.ts';
import type { AgentPorts } from '../../src/agents/ports.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { agentErrors } from '../../src/errors/agents.ts';
import { routerErrors } from '../../src/errors/router.ts';
import { vpError } from '../../src/errors/vp-error.ts';
import type { AgentVerification } from '../../src/executor/agents/agent-authenticator.ts';
import { createAgentEndpoint } from '../../src/executor/agents/agent-endpoint.ts';
import { connectClient, createAgentTestSetup, eras, instance } from './agent-test-setup.ts';

const nowhere = 'http://127.0.0.1:1';
const createRequest = (token?: string): Request =>
  new Request('http://127.0.0.1/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });

function createEndpoint(verified: AgentVerification) {
  const portsFor = (): AgentPorts => {
    throw new TypeError('nobody was let in');
  };
  return createAgentEndpoint({
    authenticator: { verify: async () => verified },
    createPorts: portsFor,
    version: '0.4.0',
    log: { error: () => {} },
  });
}

t.test('an unknown token and a missing one are unrecognized, with a fix', async (t) => {
  const endpoint = createEndpoint({ kind: 'unrecognized' });
  for (const token of [undefined, 'vpr_shop_test_x', 'not a token']) {
    const response = await endpoint.handle(createRequest(token), undefined);
    t.equal(response.status, 401);
    t.match(response.headers.get('www-authenticate'), /^Bearer /);
    t.match(await response.json(), {
      jsonrpc: '2.0',
      error: {
        message: /^unrecognized router token: reload the MCP servers.*ask the operator/,
        data: { code: 'AGENT_TOKEN_UNRECOGNIZED' },
      },
    });
  }
});

t.test('where a fix for agents names a command, it is for the operator: agents have no command line', async (t) => {
  for (const [code, { cure }] of Object.entries({ ...agentErrors, ...routerErrors }))
    if (code !== 'ROUTER_EXPOSED' && !code.startsWith('ROUTER_PORT') && cure.includes('`vp '))
      t.match(cure, /operator/, code);
});

t.test('a token that cannot be verified now is not unrecognized', async (t) => {
  const endpoint = createEndpoint({ kind: 'unreachable', problem: 'it is away', cure: 'start it' });
  const response = await endpoint.handle(createRequest('vpr_shop_test_x'), undefined);
  t.equal(response.status, 503);
  t.match(await response.json(), {
    error: { message: /it is away: start it/, data: { code: 'AGENT_TOKEN_UNVERIFIED' } },
  });
});

for (const era of eras) {
  t.test(`clients with another token hear why (${era} era)`, async (t) => {
    const agentSetup = await createAgentTestSetup(t, { baseUrl: nowhere });
    const token = await agentSetup.token('test');
    const otherAgent = `${token.slice(0, -3)}xyz`;
    for (const wrong of [otherAgent, 'vpr_elsewhere_test_0']) {
      const error: unknown = await connectClient(`${agentSetup.url}/mcp`, wrong, era).catch(
        (thrown: unknown) => thrown,
      );
      // In the newer era the client adds its own text to that of the response.
      t.match(`${error} ${JSON.stringify(error)}`, /unrecognized router token/);
    }
  });

  t.test(`the list is the role's (${era} era)`, async (t) => {
    const agentSetup = await createAgentTestSetup(t, { baseUrl: nowhere });
    const test = await agentSetup.agent('test', era);
    const product = await agentSetup.agent('product', era);
    const [{ tools: sixteen }, { tools: six }] = [await test.client.listTools(), await product.client.listTools()];
    t.equal(sixteen.length, 16);
    t.equal(six.length, 6);
    t.ok(JSON.stringify(sixteen).length <= 8800, `${JSON.stringify(sixteen).length}`);
    t.match(test.client.getServerVersion(), { name: 'vp' });
    t.match(test.client.getInstructions(), /author__get_guide/);
  });
}

t.test('only POST, only with our Host', async (t) => {
  const agentSetup = await createAgentTestSetup(t, { baseUrl: nowhere });
  const url = new URL(`${agentSetup.url}/mcp`);
  t.equal((await fetch(url)).status, 405);
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const headers = { host: 'elsewhere.example', 'content-type': 'application/json' };
  send(url, { method: 'POST', headers }, (response) => resolve(response.resume().statusCode)).end('{}');
  t.equal(await promise, 421);
});

t.test('a disconnecting client and a closing listener end a wait', async (t) => {
  for (const end of ['client', 'listener']) {
    const waiting = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const get = async (_id: string, { signal }: { signal?: AbortSignal | undefined; waitMs?: number } = {}) => {
      signal?.addEventListener('abort', () => closed.resolve());
      waiting.resolve();
      return new Promise<never>(() => {});
    };
    const ports = { control: { runs: { get } }, clock: systemClock, redact: (text: string) => text };
    const handler = createAgentMcpHandler('0.4.0', () => {});
    const [disconnect, closing] = [new AbortController(), new AbortController()];
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'author__get_run_status', arguments: { run_id: '1' } },
    };
    const request = new Request(createRequest(), {
      body: JSON.stringify(body),
      method: 'POST',
      signal: disconnect.signal,
    });
    // @ts-expect-error only what the tool needs
    const answered = handler.handle(request, { role: 'test', instance, ports, closing: closing.signal });
    const readBody = answered.then((response) => response.text()).catch(() => '');
    await waiting.promise;
    if (end === 'client') disconnect.abort();
    else closing.abort();
    await closed.promise;
    t.pass(`${end} ended it`);
    await handler.close();
    void readBody;
  }
});

t.test('an internal error of a tool is reported as such, and its reason is logged', async (t) => {
  const errors: unknown[] = [];
  const get = async () => {
    throw vpError('INTERNAL', {}, { detail: 'a private reason' });
  };
  const handler = createAgentMcpHandler('0.4.0', (error) => errors.push(error));
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'product__get_run_logs', arguments: { run_id: '1' } },
  };
  const request = new Request(createRequest(), { body: JSON.stringify(body), method: 'POST' });
  const ports = { control: { runs: { get } }, redact: (text: string) => text };
  // @ts-expect-error only what the tool needs
  const response = await handler.handle(request, { role: 'product', instance, ports, closing: undefined });
  const text = await response.text();
  t.match(text, /"isError":true/);
  t.match(text, /INTERNAL/);
  t.notMatch(text, 'a private reason');
  t.equal(errors.length, 1);
});
