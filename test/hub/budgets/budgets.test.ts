/** Budgets of a hub, on a real control plane: counted exactly, refused with the time of reset, safe over restarts. */
import t from 'tap';
import type { UsageBudget } from '../../../src/contract/hubs/policy-api.ts';
import type { HubBudgetList } from '../../../src/contract/hubs/usage-api.ts';
import { eventually } from '../../eventually.ts';
import { api, type CallResult, getDenial, startApprovalHub } from '../approvals/approval-hub.ts';
import { createToken, readJson, readRefusal } from '../fixtures/hub-people.ts';
import { modernClient } from '../fixtures/test-gateway.ts';

async function startBudgetHub(t: Parameters<typeof startApprovalHub>[0], budgets: readonly UsageBudget[]) {
  const hub = await startApprovalHub(t);
  // On a slow machine, the first list of a server takes longer than the first call waits.
  const client = await hub.client(hub.maxToken.token, modernClient);
  await eventually(async () => (await client.listTools()).tools.some(({ name }) => name === 'good__echo'));
  await hub.setPolicy({ budgets: [...budgets] });
  const listBudgets = (browser = hub.ana): Promise<HubBudgetList> => readJson(browser.ask('GET', `${api}/budgets`));
  return { ...hub, listBudgets };
}

const isRefused = (result: CallResult): boolean => getDenial(result).code === 'HUB_BUDGET_USED_UP';

t.test(
  'a used up budget refuses with its position, the fix and the time of reset, and the next day begins anew',
  async (t) => {
    const hub = await startBudgetHub(t, [{ per: 'person', period: 'day', calls: 2 }]);
    const { call, clock, sent } = hub;
    for (let count = 0; count < 2; count += 1) t.match(await call(), { content: [{ text: 'hello' }] });
    const denial = getDenial(await call());
    const midnight = new Date(Math.ceil(clock.nowMs() / 86_400_000) * 86_400_000).toISOString();
    t.match(denial, { code: 'HUB_BUDGET_USED_UP', where: 'budgets/0', resets_at: midnight });
    t.match(denial.reason, 'the budget of Max for this day is used up: 2 of 2 calls');
    t.match(denial.cure, `wait until ${midnight}`);
    t.equal(sent().length, 2);
    t.match(await call(undefined, hub.anaToken.token), { content: [{ text: 'hello' }] }, 'another person');
    clock.move(86_400_000);
    t.match(await call(), { content: [{ text: 'hello' }] });
  },
);

t.test('calls at once never exceed a budget of calls', async (t) => {
  const { call, sent } = await startBudgetHub(t, [{ per: 'hub', period: 'month', calls: 7 }]);
  const results = await Promise.all(Array.from({ length: 20 }, () => call()));
  t.equal(results.filter(isRefused).length, 13);
  t.equal(sent().length, 7);
});

t.test('bytes count when a call has ended, with requests and answers, and end a budget of tokens too', async (t) => {
  const hub = await startBudgetHub(t, [
    { per: 'connection', period: 'day', bytes: 1000 },
    { per: 'token', period: 'month', estimated_tokens: 100_000 },
  ]);
  const text = JSON.stringify({ text: 'x'.repeat(1200) });
  t.notOk(isRefused(await hub.call(text)), 'it began below the budget');
  const refused = getDenial(await hub.call());
  t.match(refused, { where: 'budgets/0', reason: /the connection good .* \d{4} of 1000 bytes/ });
  const { items } = await hub.listBudgets();
  t.match(items, [
    { position: 0, name: 'good', state: 'used_up', calls: 1 },
    { position: 1, name: /of Max$/, state: 'ok' },
  ]);
  t.ok((items[0]?.bytes ?? 0) > 2400);
  t.equal(items[0]?.estimated_tokens, Math.ceil((items[0]?.bytes ?? 0) / 4));
});

t.test('refused, unknown and listed things use nothing', async (t) => {
  const hub = await startBudgetHub(t, []);
  await hub.setPolicy({
    budgets: [{ per: 'hub', period: 'day', calls: 5 }],
    roles: { member: { deny: ['good__add'] } },
    limits: [{ per: 'person', tools: 'good__echo', calls_a_minute: 1 }],
  });
  await hub.call();
  t.match(getDenial(await hub.call()).reason, /more than 1 calls a minute/);
  const client = await hub.client(hub.maxToken.token, modernClient);
  await client.listTools();
  t.match((await hub.listBudgets()).items, [{ calls: 1 }]);
  await hub.setPolicy({ budgets: [{ per: 'hub', period: 'day', calls: 1 }], resources: 'any' });
  const { resources } = await client.listResources();
  const [resource] = resources;
  if (resource) {
    const refusal = await client.readResource({ uri: resource.uri }).catch((error: unknown) => error);
    t.match(refusal, { data: { code: 'HUB_BUDGET_USED_UP', where: 'budgets/0' } }, 'resources too');
  }
});

t.test('another token does not help where the budget is that of the person', async (t) => {
  const hub = await startBudgetHub(t, [{ per: 'person', period: 'day', calls: 1 }]);
  await hub.call();
  const second = await createToken(hub.max, 'acme');
  t.ok(isRefused(await hub.call(undefined, second.token)));
});

t.test('a change of the policy forgets nothing that was used, and a higher budget allows more', async (t) => {
  const { call, setPolicy, listBudgets } = await startBudgetHub(t, [{ per: 'person', period: 'day', calls: 2 }]);
  await call();
  await call();
  await setPolicy({ budgets: [{ per: 'hub', period: 'day', calls: 3, tools: 'good__echo' }] });
  await call();
  t.ok(isRefused(await call()));
  await setPolicy({});
  await call();
  await setPolicy({ budgets: [{ per: 'person', period: 'month', calls: 5 }] });
  t.match((await listBudgets()).items, [{ calls: 4 }], 'also calls that were made without a budget');
  t.notOk(isRefused(await call()));
  t.ok(isRefused(await call()));
});

t.test('near the end, each result, the audit and the list say so', async (t) => {
  const hub = await startBudgetHub(t, [{ per: 'person', period: 'day', calls: 5 }]);
  for (let count = 0; count < 3; count += 1) t.notMatch(await hub.call(), { _meta: { 'vp/budget': {} } });
  const near = { position: 0, per: 'person', period: 'day', used_percent: 80 };
  t.match(await hub.call(), { _meta: { 'vp/budget': near } });
  const newest = await hub.client(hub.maxToken.token, modernClient);
  const last = await newest.callTool({ name: 'good__echo', arguments: { text: 'hello' } });
  t.match(last, { content: [{ text: 'hello' }], _meta: { 'vp/budget': { ...near, used_percent: 100 } } });
  await eventually(async () => (await hub.recorded()).some(({ method }) => method === 'budget used_up'));
  const events = (await hub.recorded()).filter(({ method }) => method.startsWith('budget '));
  t.match(events, [
    { method: 'budget warning', reason: /Max has used 80 % of budgets\/0/ },
    { method: 'budget used_up', outcome: 'denied', reason: /^Max has used up budgets\/0, for this day, until / },
  ]);
  t.equal(events.length, 2, 'once each');
});

t.test('people see their own use and that of the hub, owners everybody’s, others nothing', async (t) => {
  const hub = await startBudgetHub(t, [
    { per: 'person', period: 'day', calls: 10 },
    { per: 'token', period: 'day', calls: 10 },
    { per: 'hub', period: 'day', calls: 10 },
  ]);
  await hub.call();
  await hub.call(undefined, hub.anaToken.token);
  t.equal((await hub.listBudgets()).items.length, 5);
  const own = await hub.listBudgets(hub.max);
  t.same(own.items.map(({ name }) => name).sort(), ['Max', 'ci of Max', 'the hub'].sort());
  t.equal(await readRefusal(hub.eve.ask('GET', `${api}/budgets`)), '404 HUB_UNKNOWN');
});

t.test('a budget without an amount is refused', async (t) => {
  const { ana } = await startBudgetHub(t, []);
  const document = { budgets: [{ per: 'hub', period: 'day' }] };
  t.equal(await readRefusal(ana.ask('PUT', `${api}/policy`, { document, if_revision: 2 })), '422 POLICY_INVALID');
});

t.test('what is not sent counts nothing, also after the usage was read from the audit again', async (t) => {
  const budgets: UsageBudget[] = [{ per: 'person', period: 'day', calls: 10 }];
  const hub = await startBudgetHub(t, budgets);
  const approvals = hub.approvals.map((rule) => ({ ...rule, hold_s: 60 }));
  await hub.setPolicy({ approvals, budgets });
  const leave = new AbortController();
  const caller = await hub.client(hub.maxToken.token, {});
  const left = caller
    .callTool({ name: 'good__echo', arguments: { text: 'hello' } }, { signal: leave.signal })
    .catch(() => undefined);
  await hub.waitForPending();
  leave.abort();
  await left;
  const findRow = async () =>
    (await hub.recorded()).find(({ method, outcome }) => method === 'tools/call' && outcome === 'cancelled');
  t.match(await eventually(findRow), { connection: 'good', counts: 'nothing' });
  await hub.setPolicy({ budgets });
  t.match(await hub.call(), { content: [{ text: 'hello' }] });
  const read = async () => (await hub.listBudgets()).items.map(({ calls, bytes }) => ({ calls, bytes }));
  const inMemory = await read();
  t.match(inMemory, [{ calls: 1 }]);
  await hub.setPolicy({});
  t.match(await hub.call(), { content: [{ text: 'hello' }] }, 'without budgets, they are closed');
  await hub.setPolicy({ budgets });
  const [again] = await read();
  t.match(again, { calls: 2, bytes: 2 * (inMemory[0]?.bytes ?? 0) }, 'the two calls that were sent');
});

t.test('a call that is admitted and then not sent gives back what it had of a budget', async (t) => {
  const { call, sent } = await startBudgetHub(t, [{ per: 'person', period: 'day', calls: 1 }]);
  for (let count = 0; count < 3; count += 1)
    t.equal(await call('{"text":"hello"}', undefined, ',"task":{}'), undefined, 'the tool does not run as a task');
  t.match(await call(), { content: [{ text: 'hello' }] });
  t.ok(isRefused(await call()));
  t.equal(sent().length, 1);
});

t.test('a call whose server asks a question counts once, and its answer passes at the end of a budget', async (t) => {
  const hub = await startApprovalHub(t, {}, 'older');
  const client = await hub.client(hub.maxToken.token, { ...modernClient, capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Max' } }));
  await eventually(async () => (await client.listTools()).tools.some(({ name }) => name === 'good__ask'));
  const budgets: UsageBudget[] = [{ per: 'hub', period: 'day', calls: 1 }];
  await hub.setPolicy({ budgets });
  const askByTool = () => client.callTool({ name: 'good__ask', arguments: {} });
  t.match(await askByTool(), { content: [{ text: 'hello Max' }] });
  const list = async () => (await readJson<HubBudgetList>(hub.ana.ask('GET', `${api}/budgets`))).items;
  const [used] = await list();
  t.match(used, { calls: 1 });
  t.match(await askByTool(), { isError: true, _meta: { 'vp/denied': { code: 'HUB_BUDGET_USED_UP' } } });
  t.equal(hub.sent().length, 1);
  await hub.setPolicy({});
  await hub
    .client(hub.maxToken.token, modernClient)
    .then((other) => other.callTool({ name: 'good__add', arguments: {} }).catch(() => undefined));
  await hub.setPolicy({ budgets });
  const calls = (await hub.recorded()).filter(({ connection, outcome }) => connection !== null && outcome !== 'denied');
  t.equal(calls.filter(({ counts }) => counts === 'bytes').length, 1, 'the row of the answer');
  const counted = calls.filter(({ method, counts }) => method === 'tools/call' && counts === undefined).length;
  t.match(await list(), [{ calls: counted }], 'the audit says the same');
});

t.test('calls that a rate limit refuses bring no budget to its end', async (t) => {
  const hub = await startApprovalHub(t);
  const client = await hub.client(hub.maxToken.token, modernClient);
  await eventually(async () => (await client.listTools()).tools.some(({ name }) => name === 'good__echo'));
  await hub.setPolicy({
    budgets: [{ per: 'person', period: 'day', calls: 2 }],
    limits: [{ per: 'person', calls_a_minute: 1 }],
  });
  for (let count = 0; count < 50; count += 1) await hub.call();
  t.equal(hub.sent().length, 1);
  t.same(
    (await hub.recorded()).filter(({ method }) => method.startsWith('budget ')),
    [],
  );
});
