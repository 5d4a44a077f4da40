/** Every call has its row before its answer leaves, the refused ones too; and none goes out that could not have one. */
import t from 'tap';
import { vpError } from '../../../src/errors/vp-error.ts';
import { goodServer } from '../hostile/good-server.ts';
import { served } from '../hostile/listening.ts';
import { plainTool, rawServer } from '../hostile/raw-server.ts';
import { connectionTo, house, newest } from './house.ts';
import { initialize, modern, post, toolCall } from './posting.ts';

const unavailable = () => vpError('AUDIT_UNAVAILABLE', { problem: 'the disk is full' });

/** The code of ours that a refused call tells. */
async function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'answered',
    (error: unknown) => Object(Object(error).data).code,
  );
}

t.test('a call whose row could not be kept does not go out, and is counted', async (t) => {
  for (const options of [newest, {}]) {
    const good = goodServer('newest');
    const upstream = await served(t, good.answer);
    const home = await house(t, [connectionTo('good', upstream.url)]);
    const client = await home.client('ann', options);
    await client.listTools();
    const ended: string[] = [];
    const done = (): void => void ended.push('done');
    home.decide = () => ({ allowed: true, redact: { keep: true, hide: [] }, done });
    const asked: unknown[] = [];
    home.ready = (entry) => {
      asked.push([entry?.tool, entry?.principal.person.personId]);
      throw unavailable();
    };
    const calls = [
      () => client.callTool({ name: 'good__echo', arguments: { text: 'x' } }),
      () => client.readResource({ uri: 'hub.good+note://one' }),
      () => client.getPrompt({ name: 'good__greet' }),
    ];
    for (const call of calls) t.equal(await codeOf(call()), 'AUDIT_UNAVAILABLE');
    t.equal(good.calls, 0);
    t.same(ended, ['done'], 'its place is free again');
    t.same(asked, [
      ['echo', 'ann'],
      ['note://one', 'ann'],
      ['greet', 'ann'],
    ]);
  }
});

t.test('an answer whose row could not be written does not leave', async (t) => {
  const upstream = await served(t, goodServer('newest').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const client = await home.client('ann', newest);
  await client.listTools();
  home.record = async () => {
    throw unavailable();
  };
  const call = { name: 'good__echo', arguments: { text: 'a secret answer' } };
  t.equal(await codeOf(client.callTool(call)), 'AUDIT_UNAVAILABLE');
  t.equal(await codeOf(client.callTool({ name: 'good__nothing', arguments: {} })), 'AUDIT_UNAVAILABLE');
});

t.test('what the policy hides is hidden in the rows of denied calls too', async (t) => {
  const upstream = await served(t, goodServer('newest').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const redact = { keep: true, hide: ['/password'] };
  home.decide = () => ({ allowed: false, reason: 'off', cure: 'ask', redact });
  const client = await home.client('ann', newest);
  await client.callTool({ name: 'good__echo', arguments: { password: 'x' } });
  t.match(home.audit, [{ outcome: 'denied', redact }]);
});

t.test('a policy that cannot be read lets nobody through, and that is told', async (t) => {
  const good = goodServer('newest');
  const upstream = await served(t, good.answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  home.decide = () => {
    throw vpError('STORE_CLOSED', {});
  };
  const client = await home.client('ann', newest);
  t.equal(await codeOf(client.callTool({ name: 'good__echo', arguments: {} })), 'STORE_CLOSED');
  t.equal(good.calls, 0);
  t.match(home.audit, [{ outcome: 'failed', reason: 'STORE_CLOSED', tool: 'echo' }]);
});

t.test('resources and prompts are counted and bounded as tools are', async (t) => {
  const good = goodServer('newest');
  const upstream = await served(t, good.answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const client = await home.client('ann', newest);
  const asked: unknown[] = [];
  const ended: string[] = [];
  home.admit = ({ tool }) => {
    asked.push(tool);
    const limits = { timeoutMs: 1000, answerBytes: tool === 'greet' ? 10 : 10_000 };
    return { allowed: true, redact: { keep: true, hide: [] }, limits, done: () => void ended.push(tool) };
  };
  await client.readResource({ uri: 'hub.good+note://one' });
  t.equal(await codeOf(client.getPrompt({ name: 'good__greet' })), 'UPSTREAM_ANSWER_TOO_LARGE');
  t.same(asked, ['note://one', 'greet']);
  t.same(ended, asked);
  home.admit = () => ({ allowed: false, reason: 'too many', cure: 'wait' });
  const before = upstream.seen.length;
  const refused = await client
    .readResource({ uri: 'hub.good+note://one' })
    .catch((error: unknown) => Object(error).message);
  t.match(refused, /Not allowed: too many. wait/);
  t.equal(upstream.seen.length, before);
  t.match(home.audit.at(-1), { method: 'resources/read', tool: 'note://one', outcome: 'denied', reason: 'too many' });
});

t.test('the status of a hub is a call as any other', async (t) => {
  const home = await house(t, []);
  for (const options of [newest, {}]) {
    const client = await home.client('ann', options);
    await client.callTool({ name: 'vp_hub_status', arguments: {} });
  }
  t.match(home.audit, [
    { method: 'tools/call', tool: 'vp_hub_status', outcome: 'ok', connection: undefined },
    { tool: 'vp_hub_status', outcome: 'ok' },
  ]);
});

t.test('calls that are refused before anybody reads them are in the audit as denied', async (t) => {
  const mirrored = plainTool('tool', {
    inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-mcp-header': 'Text' } } },
  });
  const upstream = await served(t, rawServer({ tools: () => [mirrored] }));
  const home = await house(t, [connectionTo('one', upstream.url)]);
  const { url } = home.served;
  const call = (body: object, headers: Record<string, string> = {}) => post(url, 'ann', body, headers);
  const [body, headers] = toolCall('one__tool', { text: 'a' });
  const right = { ...headers, 'Mcp-Param-Text': 'a' };
  t.equal((await call(body, right)).status, 200);
  t.equal(home.audit.length, 1);
  const older = (params: unknown) => ({ jsonrpc: '2.0', id: 7, method: 'tools/call', params });
  const begun = await call(initialize);
  await begun.text();
  const session = { 'Mcp-Session-Id': begun.headers.get('mcp-session-id') ?? '' };
  const cases: [what: string, status: number, body: object, headers: Record<string, string>][] = [
    ['another name in the header', 400, body, { ...right, 'Mcp-Name': 'one__other' }],
    ['another argument in the header', 400, body, { ...right, 'Mcp-Param-Text': 'b' }],
    ['another method in the header', 400, body, { ...right, 'Mcp-Method': 'tools/list' }],
    ['another revision in the header', 400, body, { ...right, 'MCP-Protocol-Version': '2025-11-25' }],
    ['arguments that are none', 200, toolCall('one__tool', 7)[0], headers],
    ['arguments that are none, in a session', 200, older({ name: 'one__tool', arguments: 7 }), session],
    ['arguments that are none, without a session', 200, older({ name: 'one__tool', arguments: 7 }), {}],
    ['a session that is gone', 404, older({ name: 'one__tool' }), { 'Mcp-Session-Id': 'gone' }],
  ];
  for (const [what, status, wrong, sent] of cases) {
    home.audit.length = 0;
    const answer = await call(wrong, sent);
    await answer.text();
    t.equal(answer.status, status, what);
    t.match(home.audit, [{ method: 'tools/call', tool: 'one__tool', outcome: 'denied', connection: undefined }], what);
    t.equal(home.audit.length, 1, what);
    t.same(home.audit[0]?.redact, { keep: false, hide: [] }, 'nobody has said what may be kept');
  }
  home.audit.length = 0;
  const read = { jsonrpc: '2.0', id: 7, method: 'resources/read', params: { uri: 'x:y', _meta: body._meta } };
  await call(read, modern('resources/read', 'x:z'));
  t.match(home.audit, [{ method: 'resources/read', tool: 'x:y', outcome: 'denied' }]);
});

t.test('of a batch each call has its row', async (t) => {
  const upstream = await served(t, goodServer('older').answer);
  const home = await house(t, [connectionTo('good', upstream.url)]);
  const message = (id: number, params: unknown) => ({ jsonrpc: '2.0', id, method: 'tools/call', params });
  const batch = [
    message(1, { name: 'good__echo', arguments: { text: 'one' } }),
    message(2, { name: 'good__echo', arguments: 'rubbish' }),
    message(3, { name: 'good__nothing' }),
  ];
  await (await post(home.served.url, 'ann', batch)).text();
  const told = home.audit.map(({ tool, outcome }) => `${tool} ${outcome}`).sort();
  t.same(told, ['echo ok', 'good__echo denied', 'good__nothing denied']);
});

t.test('lists are no calls', async (t) => {
  const home = await house(t, []);
  const client = await home.client('ann', newest);
  await client.listTools();
  t.same(home.audit, []);
});
