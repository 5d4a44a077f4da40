/** Approvals in a form of the approver's own MCP client, with official clients of both eras. */
import type { Client } from '@modelcontextprotocol/client';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { readJson } from '../fixtures/hub-people.ts';
import { modernClient } from '../fixtures/test-gateway.ts';
import { api, echoArguments, getDenial, startApprovalHub } from './approval-hub.ts';

type Form = { readonly message: string; readonly digest: string };
type Answer = { readonly action: 'accept' | 'decline' | 'cancel'; readonly content?: Record<string, string> };

async function startClientHub(t: Test, approve_by_client: 'offer' | 'refuse' = 'offer') {
  const hub = await startApprovalHub(t);
  await hub.setPolicy({ approvals: hub.approvals, approve_by_client });
  const forms: Form[] = [];
  const connect = async (
    token: string,
    era: 'newest' | 'older',
    answer?: (form: Form) => Answer | Promise<Answer>,
  ): Promise<Client> => {
    const options = era === 'newest' ? modernClient : {};
    const client = await hub.client(token, answer ? { ...options, capabilities: { elicitation: {} } } : options);
    if (answer)
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const message = String(Object(params).message);
        const form = { message, digest: message.slice(-6) };
        forms.push(form);
        return answer(form);
      });
    return client;
  };
  /** A call of Max that waits; returns the id of its approval. */
  const hold = async (args = echoArguments): Promise<string> => getDenial(await hub.call(args)).approval ?? '';
  const decide = (client: Client, approval: string) =>
    client.callTool({ name: 'decide_approval', arguments: { approval } });
  const listNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);
  return { ...hub, forms, connect, hold, decideByClient: decide, listNames };
}

const approve = ({ digest }: Form): Answer => ({ action: 'accept', content: { decision: 'approve', digest } });

for (const era of ['newest', 'older'] as const)
  t.test(`a person approves in a form of a client of the ${era} era, exactly this call, once`, async (t) => {
    const { anaToken, connect, hold, decideByClient, forms, call, recorded, listNames } = await startClientHub(t);
    const client = await connect(anaToken.token, era, approve);
    t.match(await listNames(client), ['decide_approval', 'good__add', 'good__echo', 'list_approvals'].slice(0, 1));
    const id = await hold();
    const listed = await client.callTool({ name: 'list_approvals', arguments: {} });
    t.match(listed.structuredContent, { approvals: [{ approval: id, tool: 'good__echo', person: 'Max' }] });
    t.notMatch(JSON.stringify(listed), /hello/, 'a model gets no arguments');
    const decided = await decideByClient(client, id);
    t.match(decided.structuredContent, { approval: id, decision: 'approve' });
    t.notMatch(JSON.stringify(decided), /hello/);
    t.match(forms, [
      {
        message:
          /^Max \(member\) wants to call good__echo[\s\S]*arguments.text: hello[\s\S]*enter these characters: \S{6}$/,
      },
    ]);
    t.match(await call(), { content: [{ text: 'hello' }] });
    t.equal(getDenial(await call()).code, 'HUB_APPROVAL_PENDING');
    t.match(
      (await recorded()).find(({ method }) => method === 'approval approved'),
      { person: 'Ana', via: 'token', reason: new RegExp(id) },
    );
  });

t.test('without the characters that were shown, and without a completed form, nothing is decided', async (t) => {
  const { anaToken, connect, hold, decideByClient, get } = await startClientHub(t);
  const id = await hold();
  const answers: readonly (readonly [string, Answer])[] = [
    ['guessed characters', { action: 'accept', content: { decision: 'approve', digest: 'aaaaaa' } }],
    ['no characters', { action: 'accept', content: { decision: 'approve' } }],
    ['declined', { action: 'decline' }],
    ['cancelled', { action: 'cancel' }],
    ['another decision', { action: 'accept', content: { decision: 'yes', digest: 'aaaaaa' } }],
  ];
  for (const era of ['newest', 'older'] as const)
    for (const [name, answer] of answers) {
      const client = await connect(anaToken.token, era, () => answer);
      const result = await decideByClient(client, id).catch((error: unknown) => ({
        content: [{ text: String(error) }],
      }));
      t.match(result.content, [{ text: /Nothing was decided|MCP error|rror/ }], `${era}: ${name}`);
      t.equal((await get(id)).state, 'pending', `${era}: ${name}`);
      await client.close();
    }
});

t.test('a client without forms is sent to the console, and decides nothing', async (t) => {
  const { anaToken, connect, hold, decideByClient, get } = await startClientHub(t);
  const id = await hold();
  for (const era of ['newest', 'older'] as const) {
    const result = await decideByClient(await connect(anaToken.token, era), id);
    t.match(result.structuredContent, { url: new RegExp(`/hubs/acme/approvals\\?approval=${id}$`) });
    t.equal((await get(id)).state, 'pending');
  }
});

t.test('the tools are for approvers of hubs that offer them, and never for a call of one’s own', async (t) => {
  const hub = await startClientHub(t);
  const { maxToken, anaToken, connect, hold, decideByClient, listNames, setPolicy, approvals } = hub;
  const own = await connect(maxToken.token, 'newest', approve);
  t.notOk((await listNames(own)).includes('decide_approval'));
  const id = await hold();
  t.match(await decideByClient(own, id), { isError: true, structuredContent: { code: 'HUB_TOOL_UNKNOWN' } });
  await setPolicy({
    approvals: [{ tools: 'good__echo', hold_s: 0, roles: ['owner', 'member'] }],
    approve_by_client: 'offer',
  });
  const second = await hold();
  const again = await connect(maxToken.token, 'newest', approve);
  t.ok((await listNames(again)).includes('decide_approval'), 'Max may decide calls of others');
  t.match((await own.callTool({ name: 'list_approvals', arguments: {} })).structuredContent, { approvals: [] });
  t.match(await decideByClient(own, second), { isError: true, structuredContent: { code: 'HUB_APPROVER_INVALID' } });
  t.match(await decideByClient(own, 'unknown'), { structuredContent: { code: 'HUB_APPROVAL_UNKNOWN' } });
  await setPolicy({ approvals });
  const ana = await connect(anaToken.token, 'newest', approve);
  t.notOk((await listNames(ana)).includes('decide_approval'), 'off unless the policy offers it');
  t.match(await decideByClient(ana, second), { structuredContent: { code: 'HUB_TOOL_UNKNOWN' } });
});

t.test('who loses the right, and a call that changes, while the form is open: nothing is approved', async (t) => {
  const { ana, anaToken, connect, hold, decideByClient, setPolicy, approvals, get, call, forms } =
    await startClientHub(t);
  const id = await hold();
  const changing = await connect(anaToken.token, 'newest', async (form) => {
    await setPolicy({ approvals, approve_by_client: 'offer', audit: { lists: true } });
    return approve(form);
  });
  t.match(await decideByClient(changing, id), { isError: true, structuredContent: { code: 'HUB_APPROVAL_ENDED' } });
  t.equal((await get(id)).state, 'void');
  const second = await hold();
  const listTokens = async () =>
    (await readJson<{ items: { token_id: string; person: string }[] }>(ana.ask('GET', `${api}/tokens`))).items;
  const tokenId = (await listTokens()).find(({ person }) => person === 'Ana')?.token_id;
  const revoked = await connect(anaToken.token, 'older', async (form) => {
    await ana.ask('DELETE', `/api/v1/hub-tokens/${tokenId}`);
    return approve(form);
  });
  const undecided = decideByClient(revoked, second).catch(() => undefined);
  await eventually(() => forms.length === 2);
  await eventually(async () => !(await listTokens()).some(({ token_id: listed }) => listed === tokenId));
  await revoked.close();
  await undecided;
  t.equal((await get(second)).state, 'pending');
  t.equal(getDenial(await call()).code, 'HUB_APPROVAL_PENDING');
});

t.test('a form of one call is no answer to another', async (t) => {
  const { anaToken, postCall, hold, get } = await startClientHub(t);
  const [first, second] = [await hold(), await hold('{"text":"drop everything"}')];
  const send = (approval: string, more: object) => postCall(anaToken.token, 'decide_approval', { approval }, more);
  const form = await send(first, {});
  const state = /vph\.[\w-]+/.exec(form)?.[0];
  const digest = /characters: (\S{6})/.exec(form)?.[1];
  const inputResponses = { q1: { action: 'accept', content: { decision: 'approve', digest } } };
  t.match(await send(second, { requestState: state, inputResponses }), 'HUB_INPUT_UNKNOWN');
  t.equal((await get(second)).state, 'pending');
  t.equal((await get(first)).state, 'pending');
  t.match(await send(first, { requestState: state, inputResponses }), 'The person chose: approve');
  t.equal((await get(first)).state, 'approved');
});
