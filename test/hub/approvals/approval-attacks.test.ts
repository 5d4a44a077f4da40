/** Ways to send a call twice, or another one, with one approval. */
import t from 'tap';
import { origin } from '../../server/test-server.ts';
import { createToken, putMember, readJson } from '../fixtures/hub-people.ts';
import { createToolCall, jsonHeaders } from '../fixtures/mcp-requests.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { api, type CallResult, echoArguments, getDenial, startApprovalHub } from './approval-hub.ts';

type ApprovalHub = Awaited<ReturnType<typeof startApprovalHub>>;
type Answer = {
  readonly result?: CallResult & { readonly requestState?: string; readonly inputRequests?: Record<string, unknown> };
  readonly error?: { readonly code: number; readonly message: string };
};

const questions = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const person = { action: 'accept', content: { name: 'Kim' } };

/** Posts a call of the newest era. */
async function callNewest(
  { api: server, maxToken }: ApprovalHub,
  name: string,
  args: unknown,
  retry: { readonly requestState?: string | undefined; readonly inputResponses?: unknown } = {},
  token = maxToken.token,
): Promise<Answer> {
  const [body, headers] = createToolCall(name, args, questions);
  const params = { ...Object(body.params), ...retry };
  const init = { method: 'POST', headers: { ...jsonHeaders, ...headers, Authorization: `Bearer ${token}` } };
  const text = await (
    await server.fetch(new Request(`${origin}/agent/mcp`, { ...init, body: JSON.stringify({ ...body, params }) }))
  ).text();
  return JSON.parse(text.startsWith('{') ? text : (text.split('data: ').at(-1) ?? ''));
}

t.test('two connections, the console and a batch use one approval once', async (t) => {
  const { client, max, maxToken, hub, call, post, approveCall, sent } = await startApprovalHub(t);
  const clients = [await client(maxToken.token, modernClient), await client(maxToken.token, {})];
  const echo = { name: 'good__echo', arguments: { text: 'hello' } };
  await approveCall();
  const single = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":${echoArguments}}}`;
  const batch = `[${single},${single.replace('"id":1', '"id":2')},${single.replace('"id":1', '"id":3')}]`;
  const fromConsole = max.ask('POST', `${api}/tools/call`, echo);
  await Promise.all([
    ...clients.map((caller) => caller.callTool(echo)),
    post(maxToken.token, batch).then((response) => response.text()),
    post(maxToken.token, single, undefined, `/hub/${hub.slug}/mcp`).then((response) => response.text()),
    call(),
  ]);
  t.equal(sent().length, 1);
  t.match(await (await fromConsole).text(), /HUB_|approval/, 'the console is another caller');
  await approveCall();
  await (await post(maxToken.token, batch)).text();
  t.ok(sent().length <= 2, 'a batch sends it once at most');
});

const otherNames = [
  ...['GOOD__echo', 'good__ECHO', 'good__echo ', ' good__echo', 'good%5F%5Fecho', 'good__%65cho', 'good__ech', 'echo'],
  ...['good__echo\u0000', 'good__ec\u200bho', 'good/echo', 'good____echo', 'good__echo__', 'good__\uff45cho'],
];

t.test('a name that is written in another way is not another tool', async (t) => {
  const { maxToken, post, approveCall, sent } = await startApprovalHub(t);
  await approveCall();
  for (const name of otherNames) {
    const params = { name, arguments: { text: 'hello' } };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    t.match(await (await post(maxToken.token, body)).text(), /"error"/, name);
  }
  t.equal(sent().length, 0);
});

t.test('call_tool is bound to the text of the inner arguments', async (t) => {
  const { ana, max, post, decide, sent } = await startApprovalHub(t);
  await ana.ask('PUT', '/api/v1/hubs/acme', { tool_list: 'search' });
  const { token } = await createToken(max, 'acme');
  const call = async (args: string): Promise<CallResult> => {
    const inner = `{"name":"good__echo","arguments":${args}}`;
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"call_tool","arguments":${inner}}}`;
    return JSON.parse((await (await post(token, text)).text()).split('data: ').at(-1) ?? '').result;
  };
  const exact = '{"text":"hello","n":12345678901234567890}';
  const { approval = '' } = getDenial(await call(exact));
  t.equal((await decide(approval, 'approve')).status, 200);
  for (const other of ['{"text":"hello","n":12345678901234567891}', '{"text":"hello","n":12345678901234567890.0}'])
    t.not(getDenial(await call(other)).approval, approval);
  t.not(getDenial(await call('{"text":"hello","n":12345678901234567891}')).approval, undefined);
  t.equal(sent().length, 0);
  t.match(await call(exact), { content: [{ text: 'hello' }] });
  t.match(sent(), [/12345678901234567/]);
});

t.test('a member that is given twice is approved as it is sent', async (t) => {
  const { call, decide, get, sent } = await startApprovalHub(t);
  const args = '{"text":"harmless","text":"harmful"}';
  const { approval = '' } = getDenial(await call(args));
  const { lines } = await get(approval);
  t.same(lines, ['arguments.text: harmful']);
  t.equal((await decide(approval, 'approve')).status, 200);
  t.match(await call(args), { content: [{ text: 'harmful' }] });
  t.notMatch(sent().join(), /harmless/);
});

t.test('a hub with the same names has approvals of its own', async (t) => {
  const { ana, ids, max, call, approveCall, approvals, upstream, sent } = await startApprovalHub(t);
  await ana.ask('POST', '/api/v1/hubs', { slug: 'other', name: 'Other' });
  await putMember(ana, 'other', ids.Max ?? '', 'member');
  await ana.ask('POST', '/api/v1/hubs/other/connections', { name: 'good', kind: 'http', url: upstream.url });
  const { revision } = await readJson<{ revision: number }>(ana.ask('GET', '/api/v1/hubs/other/policy'));
  const names = { accept_unknown_tools: true, accept_unknown_callers: true };
  await ana.ask('PUT', '/api/v1/hubs/other/policy', { document: { approvals }, if_revision: revision, ...names });
  const { token } = await createToken(max, 'other');
  const id = await approveCall();
  const held = getDenial(await call(echoArguments, token));
  t.equal(held.code, 'HUB_APPROVAL_PENDING');
  t.not(held.approval, id);
  t.equal((await ana.ask('GET', `/api/v1/hubs/other/approvals/${id}`)).status, 404);
  t.equal((await ana.ask('GET', `${api}/approvals/${held.approval}`)).status, 404);
  t.equal(sent().length, 0);
});

t.test('a call that its server of an older era asks about goes on with the same arguments only', async (t) => {
  const hub = await startApprovalHub(t, { tools: 'good__*' }, 'older');
  const { max, decide, sent, list } = hub;
  const args = { subject: 'a' };
  const inputResponses = { q1: person };
  t.match(await callNewest(hub, 'good__ask', args, { requestState: 'vph.made-up', inputResponses }), {
    error: { message: /./ },
  });
  t.equal(sent().length, 0, 'a state that was made up sends nothing');
  const { approval = '' } = getDenial((await callNewest(hub, 'good__ask', args)).result ?? {});
  t.equal((await decide(approval, 'approve')).status, 200);
  const question = await callNewest(hub, 'good__ask', args);
  const { requestState } = question.result ?? {};
  t.match(requestState, /^vph\./);
  const retry = { requestState, inputResponses };
  const second = await createToken(max, 'acme');
  t.match(await callNewest(hub, 'good__ask', { subject: 'b' }, retry), { error: { message: /./ } }, 'other arguments');
  t.match(await callNewest(hub, 'good__ask', {}, retry), { error: { message: /./ } }, 'no arguments');
  t.match(await callNewest(hub, 'good__echo', args, retry), { error: { message: /./ } }, 'another tool');
  t.match(await callNewest(hub, 'good__ask', args, retry, second.token), { error: { message: /./ } }, 'another token');
  t.equal(sent().length, 1);
  t.match(await callNewest(hub, 'good__ask', args, retry), { result: { content: [{ text: 'hello Kim' }] } });
  t.match(await callNewest(hub, 'good__ask', args, retry), { error: { message: /./ } }, 'the state a second time');
  t.equal(sent().length, 1);
  t.same(await list(), []);
});

t.test('answers to a server of the newest era are a call of their own', async (t) => {
  const hub = await startApprovalHub(t, { tools: 'good__*' });
  const { decide, sent } = hub;
  const args = { subject: 'a' };
  const approveHeld = async ({ result = {} }: Answer): Promise<void> => {
    t.equal(getDenial(result).code, 'HUB_APPROVAL_PENDING');
    t.equal((await decide(getDenial(result).approval ?? '', 'approve')).status, 200);
  };
  await approveHeld(await callNewest(hub, 'good__ask', args));
  const { result } = await callNewest(hub, 'good__ask', args);
  t.equal(result?.requestState, 'state-of-upstream');
  t.equal(sent().length, 1);
  const retry = { requestState: 'state-of-upstream', inputResponses: { who: person } };
  await approveHeld(await callNewest(hub, 'good__ask', args, retry));
  const others = [
    { ...retry, requestState: 'another-state' },
    { ...retry, inputResponses: { who: { action: 'accept', content: { name: 'Eve' } } } },
    { inputResponses: retry.inputResponses },
    { requestState: retry.requestState },
  ];
  for (const other of others)
    t.equal(getDenial((await callNewest(hub, 'good__ask', args, other)).result ?? {}).code, 'HUB_APPROVAL_PENDING');
  t.equal(sent().length, 1);
  t.match((await callNewest(hub, 'good__ask', args, retry)).result, { content: [{ text: /^hello Kim/ }] });
  t.equal(getDenial((await callNewest(hub, 'good__ask', args, retry)).result ?? {}).code, 'HUB_APPROVAL_PENDING');
  t.equal(sent().length, 2);
});

t.test('a call as a task is another call', async (t) => {
  const { call, approveCall, sent } = await startApprovalHub(t);
  await approveCall();
  await call(echoArguments, undefined, ',"task":{"ttl":60000}').catch(() => undefined);
  t.equal(sent().filter((body) => body.includes('"ttl"')).length, 0);
});
