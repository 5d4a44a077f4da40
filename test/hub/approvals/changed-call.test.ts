/** A request that no call can use any more ends: it cannot be approved, and an approval that was given is void. */
import t from 'tap';
import type { HubTool } from '../../../src/contract/hubs/policy-api.ts';
import { eventually } from '../../eventually.ts';
import { putMember, readJson, readRefusal } from '../fixtures/hub-people.ts';
import { api, getDenial, startApprovalHub } from './approval-hub.ts';

type ApprovalHub = Awaited<ReturnType<typeof startApprovalHub>>;

/** The server offers the tool with another definition, and the hub has seen it. */
async function changeDefinition(
  { ana, referenceServer, client, maxToken }: ApprovalHub,
  description = 'The tool echo, which also deletes what it echoes.',
): Promise<HubTool> {
  const agent = await client(maxToken.token);
  await agent.listTools();
  referenceServer.descriptions.echo = description;
  referenceServer.toolsChanged();
  return eventually(async () => {
    await agent.listTools(undefined, { cacheMode: 'bypass' });
    const { items } = await readJson<{ items: HubTool[] }>(ana.ask('GET', `${api}/tools`));
    return items.find(
      ({ tool, state, waiting }) => tool === 'echo' && state === 'held' && Object(waiting).description === description,
    );
  });
}

const changes: readonly (readonly [string, RegExp, (hub: ApprovalHub) => Promise<unknown>])[] = [
  ['the policy', /the policy has changed/, ({ setPolicy, approvals }) => setPolicy({ approvals })],
  ['the definition of the tool', /the definition of the tool has changed/, (hub) => changeDefinition(hub)],
  [
    'the server',
    /its server has changed/,
    ({ ana, upstream }) => ana.ask('PUT', `${api}/connections/good`, { url: `${upstream.url}?other` }),
  ],
  ['the removed server', /its server was removed/, ({ ana }) => ana.ask('DELETE', `${api}/connections/good`)],
];

for (const [name, reason, change] of changes) {
  t.test(`a request that waits cannot be approved after a change of ${name}`, async (t) => {
    const hub = await startApprovalHub(t);
    const { call, decide, get, list, sent, recorded } = hub;
    const id = getDenial(await call()).approval ?? '';
    await change(hub);
    const response = await decide(id, 'approve');
    t.equal(response.status, 409);
    t.match(await response.json(), { code: 'HUB_APPROVAL_ENDED', detail: reason });
    t.match(await get(id), { state: 'void', is_complete: false });
    t.same(await list(), []);
    t.match(
      (await recorded()).find(({ method }) => method === 'approval void'),
      { person: 'Max', outcome: 'denied', reason },
    );
    t.equal(sent().length, 0);
  });
}

t.test('an approval of the earlier definition does not hold when the new one is approved', async (t) => {
  const hub = await startApprovalHub(t);
  const { ana, call, approveCall, decide, get, sent } = hub;
  const id = await approveCall();
  const { waiting_digest: digest } = await changeDefinition(hub);
  t.match(await call(), { isError: true, content: [{ text: /definition of this tool changed/ }] });
  const approved = await ana.ask('POST', `${api}/tools/approve`, { connection: 'good', tool: 'echo', digest });
  t.equal(approved.status, 200);
  const next = getDenial(await call());
  t.equal(next.code, 'HUB_APPROVAL_PENDING');
  t.not(next.approval, id);
  t.equal(sent().length, 0);
  t.equal(await readRefusal(decide(id, 'deny')), '409 HUB_APPROVAL_ENDED', 'there is nothing to take back');
  t.match(await get(id), { state: 'void' });
  t.equal((await decide(next.approval ?? '', 'approve')).status, 200);
  t.match(await call(), { content: [{ text: 'hello' }] });
  t.equal(sent().length, 1);
});

t.test('the approval of a trial is for the definition that was tried', async (t) => {
  const hub = await startApprovalHub(t);
  const { ana, ids, gateway, decide, get, sent, call, waitForPending } = hub;
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  const tester = await gateway.connectionTester();
  const caller = {
    kind: 'person',
    via: 'api_key',
    credentialId: 'k',
    personId: ids.Max ?? '',
    name: 'Max',
    role: 'owner',
  } as const;
  const options = { signal: new AbortController().signal, requestBytes: 0 };
  const tryTool = async ({ waiting_digest: digest }: HubTool): Promise<string> => {
    const input = { name: 'good__echo', arguments: { text: 'hello' } };
    const trial = tester.call(caller, 'acme', input, { ...options, trialDigest: digest ?? '' });
    await t.rejects(trial, { code: 'HUB_CALL_DENIED', message: /waits for the approval/ });
    return waitForPending();
  };
  const id = await tryTool(await changeDefinition(hub));
  const { pin } = await get(id);
  t.equal((await decide(id, 'approve')).status, 200);
  const next = await tryTool(await changeDefinition(hub, 'The tool echo, which sends what it echoes to everybody.'));
  t.not(next, id);
  t.not((await get(next)).pin, pin);
  t.match(await call(), { isError: true });
  t.equal(sent().length, 0);
});

t.test('a call that waits is answered when it can no longer be approved, and nobody has to decide it', async (t) => {
  const { call, waitForPending, setPolicy, approvals, get, sent } = await startApprovalHub(t, { hold_s: 60 });
  const held = call();
  const id = await waitForPending();
  await setPolicy({ approvals });
  t.match(getDenial(await held), { code: 'HUB_APPROVAL_VOID', approval: id });
  t.match(await get(id), { state: 'void' });
  t.equal(sent().length, 0);
});
