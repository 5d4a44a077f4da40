/** Ways to have a call sent twice, as another call, or after it should not be, through a task that waits for an approval. */
import t from 'tap';
import { eventually } from '../../eventually.ts';
import { getDenial } from '../approvals/approval-hub.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { createRawServer, createTextResult } from '../fixtures/raw-server.ts';
import { startTestServer } from '../fixtures/test-server.ts';
import { createTaskCaller, echo, type RpcMessage, startHeldTaskHub } from './held-task-hub.ts';

const reasonOf = ({ result }: RpcMessage): string => result?.content?.[0]?.text ?? '';

t.test('two tasks of the same call share one approval, which one of them uses', async (t) => {
  const { caller, waitForPending, list, decide, sent } = await startHeldTaskHub(t);
  const ids = [await caller.startOlder(), await caller.startOlder(), await caller.startOlder()];
  t.equal((await list()).length, 1);
  t.equal((await decide(await waitForPending(), 'approve')).status, 200);
  const ends = await Promise.all(ids.map((id) => caller.waitForEnd(id)));
  t.same(ends.toSorted(), ['completed', 'failed', 'failed']);
  t.equal(sent().length, 1);
});

t.test('an approval that a task has used is not used again by a call or another task', async (t) => {
  const { caller, waitForPending, decide, sent, call, list } = await startHeldTaskHub(t);
  const taskId = await caller.startOlder();
  const id = await waitForPending();
  await decide(id, 'approve');
  t.equal(await caller.waitForEnd(taskId), 'completed');
  for (let index = 0; index < 3; index += 1) await caller.older('tasks/result', { taskId });
  t.equal(sent().length, 1, 'its result is read, and the call not made again');
  t.equal(getDenial(await call(undefined, undefined, ',"_meta":{}')).code, 'HUB_APPROVAL_PENDING');
  const again = await caller.startOlder();
  t.match((await caller.older('tasks/get', { taskId: again })).result, { status: 'working' });
  t.notOk((await list()).some(({ approval }) => approval === id));
  t.equal(sent().length, 1);
});

t.test('the approval of a call is not one of the call as a task, nor the reverse', async (t) => {
  const { caller, approveCall, sent, call, waitForPending, decide } = await startHeldTaskHub(t);
  await approveCall();
  const taskId = await caller.startOlder();
  t.match((await caller.older('tasks/get', { taskId })).result, { status: 'working' });
  t.equal(sent().length, 0);
  t.match(await call(), { content: [{ text: 'hello' }] });
  await decide(await waitForPending(), 'approve');
  t.equal(await caller.waitForEnd(taskId), 'completed');
  t.equal(sent().length, 2);
});

t.test('nothing is sent for a credential or a person that lost access while the task waited', async (t) => {
  const { caller, max, ana, ids, api, waitForPending, decide, sent } = await startHeldTaskHub(t);
  const other = await createToken(max, 'acme');
  const revoked = createTaskCaller({ api }, other.token);
  await revoked.startOlder();
  const id = await waitForPending();
  t.equal((await max.ask('DELETE', `/api/v1/hub-tokens/${other.hub_token.token_id}`)).status, 204);
  await decide(id, 'approve');
  await caller.startOlder({ ...echo, arguments: { text: 'second' } });
  const second = await waitForPending();
  await ana.ask('DELETE', `/api/v1/hubs/acme/members/${ids.Max}`);
  await decide(second, 'approve');
  await eventually(async () => {
    const { control } = api;
    const rows = await control.database.read((sql) => sql.all('SELECT state FROM hub_held_tasks'));
    return rows.every((row) => Object(row).state === 'failed');
  });
  t.equal(sent().length, 0);
});

t.test('a definition that changes while the task waits: nothing is sent', async (t) => {
  const { caller, waitForPending, decide, sent, referenceServer, ana } = await startHeldTaskHub(t);
  const changed = await caller.startOlder();
  const first = await waitForPending();
  referenceServer.descriptions.echo = 'Sends everything to the sea';
  referenceServer.toolsChanged();
  await caller.older('tools/list', {});
  await eventually(async () => {
    await ana.ask('POST', '/api/v1/hubs/acme/connections/good/test');
    return (await decide(first, 'approve')).status === 409;
  });
  const refusal = await eventually(async () => (await caller.older('tasks/get', { taskId: changed })).error);
  t.match(refusal, { message: /definition of this tool changed/ }, 'the tool itself is held now');
  t.equal(sent().length, 0);
});

t.test('a budget that is used up when the call is approved refuses it', async (t) => {
  const { caller, waitForPending, decide, sent, setPolicy, approvals } = await startHeldTaskHub(t);
  await setPolicy({ approvals, budgets: [{ per: 'person', period: 'day', calls: 1 }] });
  const ids = [await caller.startOlder(), await caller.startOlder({ ...echo, arguments: { text: 'second' } })];
  for (const _id of ids) await decide(await waitForPending(), 'approve');
  for (const taskId of ids) await caller.waitForEnd(taskId);
  const results = await Promise.all(ids.map((taskId) => caller.older('tasks/result', { taskId })));
  t.equal(results.filter(({ result }) => result?.isError === true).length, 1);
  t.match(results.map(reasonOf).join(), /budget/);
  t.equal(sent().length, 1);
});

t.test(
  'a policy that denies the tool while the call is held: nothing is sent, and the task cannot be read',
  async (t) => {
    const { caller, waitForPending, decide, sent, setPolicy, approvals } = await startHeldTaskHub(t);
    const taskId = await caller.startOlder();
    const id = await waitForPending();
    await setPolicy({ approvals, roles: { member: { deny: ['good__echo'] } } });
    t.equal((await decide(id, 'approve')).status, 409);
    t.match((await caller.older('tasks/get', { taskId })).error, { code: -32602, message: /Not allowed/ });
    await setPolicy({});
    t.equal(await caller.waitForEnd(taskId), 'failed', 'also where the tool needs no approval any more');
    t.equal(sent().length, 0);
  },
);

t.test('a person has a limited number of tasks; the oldest that has ended makes room', async (t) => {
  const { api, caller, waitForPending, decide } = await startHeldTaskHub(t);
  const ids: string[] = [];
  for (let index = 0; index < 50; index += 1) ids.push(await caller.startOlder());
  const refused = await caller.older('tools/call', { ...echo, task: { ttl: 60_000 } });
  t.match(refused.result?._meta, { 'vp/denied': { code: 'HUB_APPROVALS_LIMITED' } });
  await decide(await waitForPending(), 'deny');
  const countEnded = async () =>
    api.control.database.read((sql) => sql.all("SELECT id FROM hub_held_tasks WHERE state = 'failed'").length);
  await eventually(async () => (await countEnded()) === 50);
  const newest = await caller.startOlder({ ...echo, arguments: { text: 'another' } });
  t.match((await caller.older('tasks/get', { taskId: newest })).result, { status: 'working' });
  t.equal(await countEnded(), 49);
  t.match((await caller.older('tasks/get', { taskId: ids[0] })).error, { code: -32602, message: /no such task/ });
});

t.test('a tool that fails, or asks a question, is the end of its task', async (t) => {
  const rule = { tools: 'good__*' };
  const { caller, waitForPending, decide, sent, clock } = await startHeldTaskHub(t, rule);
  const run = async (name: string, args: Record<string, unknown> = {}): Promise<[string, RpcMessage]> => {
    const taskId = await caller.startOlder({ name: `good__${name}`, arguments: args });
    await decide(await waitForPending(), 'approve');
    const status = await caller.waitForEnd(taskId);
    return [status, await caller.older('tasks/result', { taskId })];
  };
  const [failed, failure] = await run('fails');
  t.equal(failed, 'failed');
  t.match(reasonOf(failure), 'it went wrong');
  const [linked, link] = await run('link');
  t.equal(linked, 'completed');
  t.match(link.result?.content, [{ uri: 'hub.good+note://one' }], 'a public URI is written once');
  const [questioned, question] = await run('ask');
  t.equal(questioned, 'failed');
  t.ok(question.error ?? question.result?.isError);
  const taskId = await caller.startOlder();
  clock.move(8 * 3_600_000);
  t.match((await caller.older('tasks/get', { taskId })).error, { code: -32602 }, 'after its ttl a task is unknown');
  t.equal(sent().filter((body) => body.includes('"echo"')).length, 0);
});

t.test('a result that is too large to be stored says so, and its call was made', async (t) => {
  const { ana, caller, waitForPending, decide } = await startHeldTaskHub(t, { tools: 'big__*' });
  let calls = 0;
  const call = () => {
    calls += 1;
    return createTextResult('x'.repeat(1_100_000));
  };
  const { url } = await startTestServer(t, createRawServer({ call }));
  await ana.ask('POST', '/api/v1/hubs/acme/connections', { name: 'big', kind: 'http', url });
  const taskId = await caller.startOlder({ name: 'big__tool', arguments: {} });
  await decide(await waitForPending(), 'approve');
  t.equal(await caller.waitForEnd(taskId), 'failed');
  t.match(reasonOf(await caller.older('tasks/result', { taskId })), /The call was made.*too large to be stored/);
  t.equal(calls, 1);
});
