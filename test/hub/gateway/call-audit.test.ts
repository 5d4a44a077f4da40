/** Every call has its row before its response is sent, also if refused; a call that could have no row is not sent. */
import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { PreparedParts } from '../../../src/hub/audit/prepared-parts.ts';
import { eventually } from '../../eventually.ts';
import { openTestAudit } from '../audit/test-audit.ts';
import { createMcpHeaders, createToolCall, initialize, post } from '../fixtures/mcp-requests.ts';
import { createRawServer, createTextResult, createTool } from '../fixtures/raw-server.ts';
import { createReferenceServer } from '../fixtures/reference-server.ts';
import { createConnection, modernClient, startTestGateway } from '../fixtures/test-gateway.ts';
import { startTestServer } from '../fixtures/test-server.ts';

const createUnavailableError = () => vpError('AUDIT_UNAVAILABLE', { problem: 'the disk is full' });

/** Our error code in a refused call. */
async function readErrorCode(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'answered',
    (error: unknown) => Object(Object(error).data).code,
  );
}

t.test('a call whose row cannot be written is not sent, and is counted', async (t) => {
  for (const options of [modernClient, {}]) {
    const referenceServer = createReferenceServer('newest');
    const upstream = await startTestServer(t, referenceServer.handle);
    const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
    const client = await gateway.client('ann', options);
    await client.listTools();
    const releases: string[] = [];
    const release = (): void => void releases.push('done');
    gateway.decide = () => ({ allowed: true, redact: { keep: true, hide: [] }, release: release });
    const readyCalls: unknown[] = [];
    gateway.ready = (entry) => {
      readyCalls.push([entry?.tool, entry?.principal.person.personId]);
      throw createUnavailableError();
    };
    const calls = [
      () => client.callTool({ name: 'good__echo', arguments: { text: 'x' } }),
      () => client.readResource({ uri: 'hub.good+note://one' }),
      () => client.getPrompt({ name: 'good__greet' }),
    ];
    for (const call of calls) t.equal(await readErrorCode(call()), 'AUDIT_UNAVAILABLE');
    t.equal(referenceServer.calls, 0);
    t.same(releases, ['done'], 'its reservation is released');
    t.same(readyCalls, [
      ['echo', 'ann'],
      ['note://one', 'ann'],
      ['greet', 'ann'],
    ]);
  }
});

t.test('with intents, a call is recorded before it is sent, and its outcome refers to that row', async (t) => {
  const referenceServer = createReferenceServer('newest');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  await client.listTools();
  const intents: unknown[] = [];
  gateway.recordIntent = async ({ outcome, tool, arguments: args }) => {
    await new Promise((resolve) => setImmediate(resolve));
    intents.push([referenceServer.calls, outcome, tool, args]);
    return 40 + intents.length;
  };
  await client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  await client.readResource({ uri: 'hub.good+note://one' });
  await client.callTool({ name: 'good__nothing', arguments: {} }).catch(() => undefined);
  t.same(intents, [
    [0, 'started', 'echo', { text: 'x' }],
    [1, 'started', 'note://one', { uri: 'note://one' }],
  ]);
  t.match(gateway.audit, [{ outcome: 'ok', intentSeq: 41 }, { outcome: 'ok', intentSeq: 42 }, { outcome: 'denied' }]);
  gateway.recordIntent = () => Promise.reject(createUnavailableError());
  const before = referenceServer.calls;
  const call = client.callTool({ name: 'good__echo', arguments: { text: 'x' } });
  t.equal(await readErrorCode(call), 'AUDIT_UNAVAILABLE');
  t.equal(referenceServer.calls, before, 'it is not sent');
});

t.test('what a row needs of its call is prepared while the server works, also of a call that fails', async (t) => {
  const prepared: PreparedParts[] = [];
  const upstream = await startTestServer(
    t,
    createRawServer({
      call: async ({ arguments: args }) => {
        const { count, fails } = Object(args);
        await eventually(() => prepared.length === count, { description: 'the row is prepared' });
        return fails ? new Response('no', { status: 500 }) : createTextResult('done');
      },
    }),
  );
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  await client.listTools();
  const { audit } = await openTestAudit(t);
  gateway.prepare = (call) => {
    const parts = audit.prepare?.(call);
    if (parts) prepared.push(parts);
    return parts;
  };
  await client.callTool({ name: 'good__tool', arguments: { count: 1 } });
  await client.callTool({ name: 'good__tool', arguments: { count: 2, fails: true } }).catch(() => undefined);
  t.same(
    gateway.audit.map((entry) => [entry.outcome, entry.prepared && prepared.indexOf(entry.prepared)]),
    [
      ['ok', 0],
      ['failed', 1],
    ],
  );
  t.match(prepared, [
    { storedArguments: '{"count":1}', texts: { tool: 'tool', person: 'ann' } },
    { storedArguments: '{"count":2,"fails":true}' },
  ]);
});

t.test('a response whose row cannot be written is not sent', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  await client.listTools();
  gateway.record = async () => {
    throw createUnavailableError();
  };
  const call = { name: 'good__echo', arguments: { text: 'a secret answer' } };
  t.equal(await readErrorCode(client.callTool(call)), 'AUDIT_UNAVAILABLE');
  t.equal(await readErrorCode(client.callTool({ name: 'good__nothing', arguments: {} })), 'AUDIT_UNAVAILABLE');
});

t.test('the policy’s hidden fields are hidden in the rows of denied calls too', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('newest').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const redact = { keep: true, hide: ['/password'] };
  gateway.decide = () => ({ allowed: false, reason: 'off', cure: 'ask', redact });
  const client = await gateway.client('ann', modernClient);
  await client.callTool({ name: 'good__echo', arguments: { password: 'x' } });
  t.match(gateway.audit, [{ outcome: 'denied', redact }]);
});

t.test('if the policy cannot be read, the call is refused and audited', async (t) => {
  const referenceServer = createReferenceServer('newest');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  gateway.decide = () => {
    throw vpError('STORE_CLOSED', {});
  };
  const client = await gateway.client('ann', modernClient);
  t.equal(await readErrorCode(client.callTool({ name: 'good__echo', arguments: {} })), 'STORE_CLOSED');
  t.equal(referenceServer.calls, 0);
  t.match(gateway.audit, [{ outcome: 'failed', reason: 'STORE_CLOSED', tool: 'echo' }]);
});

t.test('resources and prompts are counted and limited like tools', async (t) => {
  const referenceServer = createReferenceServer('newest');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const client = await gateway.client('ann', modernClient);
  const admitted: unknown[] = [];
  const releases: string[] = [];
  gateway.admit = ({ tool }) => {
    admitted.push(tool);
    const limits = { timeoutMs: 1000, maxResponseBytes: tool === 'greet' ? 10 : 10_000 };
    return { allowed: true, redact: { keep: true, hide: [] }, limits, release: () => void releases.push(tool) };
  };
  await client.readResource({ uri: 'hub.good+note://one' });
  t.equal(await readErrorCode(client.getPrompt({ name: 'good__greet' })), 'UPSTREAM_ANSWER_TOO_LARGE');
  t.same(admitted, ['note://one', 'greet']);
  t.same(releases, admitted);
  gateway.admit = () => ({ allowed: false, reason: 'too many', cure: 'wait' });
  const requestCount = upstream.receivedHeaders.length;
  const refused = await client
    .readResource({ uri: 'hub.good+note://one' })
    .catch((error: unknown) => Object(error).message);
  t.match(refused, /Not allowed: too many. Wait/);
  t.equal(upstream.receivedHeaders.length, requestCount);
  t.match(gateway.audit.at(-1), {
    method: 'resources/read',
    tool: 'note://one',
    outcome: 'denied',
    reason: 'too many',
  });
});

t.test('the status of a hub is audited like any call', async (t) => {
  const gateway = await startTestGateway(t, []);
  for (const options of [modernClient, {}]) {
    const client = await gateway.client('ann', options);
    await client.callTool({ name: 'vp_hub_status', arguments: {} });
  }
  t.match(gateway.audit, [
    { method: 'tools/call', tool: 'vp_hub_status', outcome: 'ok', connection: undefined },
    { tool: 'vp_hub_status', outcome: 'ok' },
  ]);
});

t.test('calls that are refused before they are handled are audited as denied', async (t) => {
  const mirroringTool = createTool('tool', {
    inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } },
  });
  const upstream = await startTestServer(t, createRawServer({ tools: () => [mirroringTool] }));
  const gateway = await startTestGateway(t, [createConnection('one', upstream.url)]);
  const { url } = gateway.server;
  const call = (body: object, headers: Record<string, string> = {}) => post(url, 'ann', body, headers);
  const [body, headers] = createToolCall('one__tool', { text: 'a' });
  const matchingHeaders = { ...headers, 'Mcp-Param-Text': 'a' };
  t.equal((await call(body, matchingHeaders)).status, 200);
  t.equal(gateway.audit.length, 1);
  const createOlderCall = (params: unknown) => ({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const initialized = await call(initialize);
  await initialized.text();
  const session = { 'Mcp-Session-Id': initialized.headers.get('mcp-session-id') ?? '' };
  const cases: [what: string, status: number, body: object, headers: Record<string, string>][] = [
    ['another name in the header', 400, body, { ...matchingHeaders, 'Mcp-Name': 'one__other' }],
    ['another argument in the header', 400, body, { ...matchingHeaders, 'Mcp-Param-Text': 'b' }],
    ['another method in the header', 400, body, { ...matchingHeaders, 'Mcp-Method': 'tools/list' }],
    ['another revision in the header', 400, body, { ...matchingHeaders, 'MCP-Protocol-Version': '2025-11-25' }],
    ['arguments that are none', 200, createToolCall('one__tool', 7)[0], headers],
    ['arguments that are none, in a session', 200, createOlderCall({ name: 'one__tool', arguments: 7 }), session],
    ['arguments that are none, without a session', 200, createOlderCall({ name: 'one__tool', arguments: 7 }), {}],
    ['a session that is gone', 404, createOlderCall({ name: 'one__tool' }), { 'Mcp-Session-Id': 'gone' }],
  ];
  for (const [description, status, invalidBody, sentHeaders] of cases) {
    gateway.audit.length = 0;
    const response = await call(invalidBody, sentHeaders);
    await response.text();
    t.equal(response.status, status, description);
    t.match(
      gateway.audit,
      [{ method: 'tools/call', tool: 'one__tool', outcome: 'denied', connection: undefined }],
      description,
    );
    t.equal(gateway.audit.length, 1, description);
    t.same(gateway.audit[0]?.redact, { keep: false, hide: [] }, 'without a policy decision no arguments are stored');
  }
  gateway.audit.length = 0;
  const read = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'x:y', _meta: body._meta } };
  await call(read, createMcpHeaders('resources/read', 'x:z'));
  t.match(gateway.audit, [{ method: 'resources/read', tool: 'x:y', outcome: 'denied' }]);
});

t.test('each call of a batch has its row', async (t) => {
  const upstream = await startTestServer(t, createReferenceServer('older').handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  const createMessage = (id: number, params: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const batch = [
    createMessage(1, { name: 'good__echo', arguments: { text: 'one' } }),
    createMessage(2, { name: 'good__echo', arguments: 'rubbish' }),
    createMessage(3, { name: 'good__nothing' }),
  ];
  await (await post(gateway.server.url, 'ann', batch)).text();
  const outcomes = gateway.audit.map(({ tool, outcome }) => `${tool} ${outcome}`).sort();
  t.same(outcomes, ['echo ok', 'good__echo denied', 'good__nothing denied']);
});

t.test('lists are not audited', async (t) => {
  const gateway = await startTestGateway(t, []);
  const client = await gateway.client('ann', modernClient);
  await client.listTools();
  t.same(gateway.audit, []);
});

t.test('a call has its row also where the hub itself fails before it knows the tool', async (t) => {
  const referenceServer = createReferenceServer('newest');
  const upstream = await startTestServer(t, referenceServer.handle);
  const gateway = await startTestGateway(t, [createConnection('good', upstream.url)]);
  gateway.hidden.has = () => {
    throw new Error('the disk is gone');
  };
  for (const options of [modernClient, {}]) {
    gateway.audit.length = 0;
    const client = await gateway.client('ann', options);
    t.equal(await readErrorCode(client.callTool({ name: 'good__echo', arguments: { text: 'x' } })), 'INTERNAL');
    t.match(gateway.audit, [{ method: 'tools/call', tool: 'good__echo', outcome: 'failed', reason: 'INTERNAL' }]);
    t.equal(await readErrorCode(client.listTools()), 'INTERNAL');
    t.match(gateway.errors.splice(0), [{ detail: /the disk is gone/ }, { detail: /the disk is gone/ }], 'in the log');
  }
  t.equal(referenceServer.calls, 0);
});
