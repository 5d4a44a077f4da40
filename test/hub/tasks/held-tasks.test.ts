/** Calls that wait for an approval as tasks of their clients, in both revisions that have tasks. */
import { CallToolResultSchema, TaskStatusNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import t, { type Test } from 'tap';
import { eventually } from '../../eventually.ts';
import { createToken } from '../fixtures/hub-people.ts';
import { createTaskCaller, echo, knowsTasks, startHeldTaskHub } from './held-task-hub.ts';

t.test('the official client of 2025-11-25 starts a task, hears of its approval and reads its result', async (t) => {
  const { connectOlder, waitForPending, decide, sent, recorded } = await startHeldTaskHub(t);
  const client = await connectOlder();
  const { tools } = await client.listTools();
  const supports = Object.fromEntries(tools.map(({ name, execution }) => [name, execution?.taskSupport]));
  t.match(supports, { good__echo: 'optional', good__fails: undefined }, 'only what is held is offered as a task');
  const reports: unknown[] = [];
  client.setNotificationHandler(TaskStatusNotificationSchema, ({ params }) => void reports.push(params));
  const stream = client.experimental.tasks.callToolStream(echo, CallToolResultSchema, { task: { ttl: 60_000 } });
  const { value: created } = await stream.next();
  const id = await waitForPending();
  t.match(created, { type: 'taskCreated', task: { taskId: /^vph\./, status: 'working', statusMessage: RegExp(id) } });
  t.ok(Object(created).task.ttl > 7_100_000, 'the result can be read after a late approval');
  const { taskId } = Object(created).task;
  t.match(await client.experimental.tasks.listTasks(), { tasks: [{ taskId, status: 'working' }] });
  t.equal(sent().length, 0);
  await decide(id, 'approve');
  const messages: unknown[] = [];
  for await (const message of stream) messages.push(message);
  t.match(messages.at(-1), {
    type: 'result',
    result: { content: [{ text: 'hello' }], _meta: { 'io.modelcontextprotocol/related-task': { taskId } } },
  });
  await eventually(() => reports.some((report) => Object(report).status === 'completed'));
  t.equal(sent().length, 1);
  t.notMatch(sent()[0], /"ttl"|vph\./, 'its server gets a usual call');
  const rows = (await recorded()).map(({ method, outcome, tool }) => `${method} ${outcome} ${tool}`);
  t.same(
    rows.filter((row) => !/^(?:tasks\/|connection added |policy changed )/.test(row)),
    [
      'approval requested ok echo',
      'tools/call ok echo',
      'approval approved ok echo',
      'approval used ok echo',
      'tools/call ok echo',
    ],
  );
  await t.rejects(client.experimental.tasks.cancelTask(taskId), { code: -32602 }, 'an ended task is not cancelled');
});

t.test('a client of the newest revision gets a task only if it declares the extension', async (t) => {
  const { caller, approveNext, sent } = await startApprovable(t);
  const { newest } = caller;
  t.match((await newest('tools/call', echo, {})).result, { isError: true }, 'it is told to call again');
  const started = (await newest('tools/call', { ...echo, arguments: { text: 'as a task' } })).result;
  t.match(started, { resultType: 'task', status: 'working', ttlMs: Number, pollIntervalMs: Number });
  const taskId = started?.taskId;
  t.match((await newest('tasks/get', { taskId })).result, { resultType: 'complete', taskId, status: 'working' });
  t.match((await newest('tasks/update', { taskId, inputResponses: {} })).result, { resultType: 'complete' });
  await approveNext('as a task');
  await eventually(async () => (await newest('tasks/get', { taskId })).result?.status === 'completed');
  t.match((await newest('tasks/get', { taskId })).result, { result: { content: [{ text: 'as a task' }] } });
  t.match((await newest('tasks/get', { taskId }, {})).error, { code: -32021 });
  t.equal(sent().length, 1);
});

t.test('a client that watches its task gets its end', async (t) => {
  const { caller, waitForPending, decide } = await startHeldTaskHub(t);
  const received = await caller.listen(t, await caller.startNewest());
  await eventually(() => received().includes('acknowledged'));
  await decide(await waitForPending(), 'approve');
  await eventually(() => received().includes('"status":"completed"'));
  t.match(received(), /notifications\/tasks/);
  t.match(received(), /"text":"hello"/);
});

t.test('numbers of the arguments and of the result are as they were sent', async (t) => {
  const { caller, waitForPending, decide, sent, post, maxToken, get } = await startHeldTaskHub(t);
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"good__echo","arguments":{"text":"n","big":12345678901234567890,"n":1.0},"task":{}}}`;
  const { result } = JSON.parse((await (await post(maxToken.token, text)).text()).split('data: ').at(-1) ?? '');
  const id = await waitForPending();
  t.match((await get(id)).lines, ['arguments.text: n', 'arguments.big: 12345678901234567890', 'arguments.n: 1.0']);
  await decide(id, 'approve');
  t.equal(await caller.waitForEnd(result.task.taskId), 'completed');
  t.match(sent()[0], /hello|"n"/);
});

t.test('each end of an approval is the end of its task', async (t) => {
  const { caller, waitForPending, decide, clock, setPolicy, approvals, sent, ana, upstream } = await startApprovable(t);
  const ends: Record<string, (id: string) => Promise<unknown>> = {
    'denied by Ana: not on Fridays': (id) => decide(id, 'deny', undefined, { comment: 'not on Fridays' }),
    'it has expired': async () => clock.move(3_600_001),
    'the policy has changed|the policy, the definition': () => setPolicy({ approvals, new_tools: 'offer' }),
    'its server has changed|its server or an approver changed': () =>
      ana.ask('PUT', '/api/v1/hubs/acme/connections/good', { url: `${upstream.url}?other` }),
  };
  for (const [index, [reason, end]] of Object.entries(ends).entries()) {
    const taskId = await caller.startOlder({ ...echo, arguments: { text: `call ${index}` } });
    await end(await waitForPending());
    t.equal(await caller.waitForEnd(taskId), 'failed', reason);
    const { result } = await caller.older('tasks/result', { taskId });
    t.match(result?.content?.[0]?.text, new RegExp(reason));
    t.match(result?._meta, { 'vp/denied': { code: /^HUB_APPROVAL_/ } });
  }
  t.equal(sent().length, 0);
});

t.test('a client that cancels takes its request back, unless another call waits for the same approval', async (t) => {
  const { caller, waitForPending, get, decide, sent } = await startHeldTaskHub(t);
  const [first, second] = [await caller.startNewest(), await caller.startNewest()];
  const id = await waitForPending();
  t.match((await caller.newest('tasks/cancel', { taskId: first })).result, { resultType: 'complete' });
  t.equal((await get(id)).state, 'pending', 'the second task waits for it too');
  t.match((await caller.newest('tasks/get', { taskId: first })).result, { status: 'cancelled' });
  await caller.newest('tasks/cancel', { taskId: second });
  t.equal((await get(id)).state, 'withdrawn');
  t.equal((await decide(id, 'approve')).status, 409);
  const older = await caller.startOlder();
  t.match((await caller.older('tasks/cancel', { taskId: older })).result, { taskId: older, status: 'cancelled' });
  t.match((await caller.older('tasks/result', { taskId: older })).error, { code: -32600, message: /cancelled/ });
  t.equal(sent().length, 0);
});

t.test('a call that is being made is aborted when its task is cancelled', async (t) => {
  const hub = await startHeldTaskHub(t, { tools: 'good__slow' });
  const { caller, waitForPending, decide, sent, referenceServer } = hub;
  const taskId = await caller.startOlder({ name: 'good__slow', arguments: {} });
  await decide(await waitForPending(), 'approve');
  await eventually(() => sent().length === 1);
  t.match((await caller.older('tasks/cancel', { taskId })).result, { status: 'cancelled' });
  await eventually(() => referenceServer.cancelled.length > 0);
  t.match((await caller.older('tasks/get', { taskId })).result, { status: 'cancelled' });
});

t.test('a task of another person, token or hub does not exist, as one that is made up', async (t) => {
  const { caller, anaToken, max, ana, api, waitForPending, decide } = await startHeldTaskHub(t);
  const ids = [await caller.startOlder(), await caller.startNewest()];
  await ana.ask('POST', '/api/v1/hubs', { slug: 'other', name: 'Other' });
  const otherHub = await createToken(ana, 'other');
  const otherToken = await createToken(max, 'acme');
  const inventedId = 'vph.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  const unknown = (await caller.older('tasks/get', { taskId: inventedId })).error;
  t.match(unknown, { code: -32602 });
  for (const { token } of [anaToken, otherToken, otherHub]) {
    const stranger = createTaskCaller({ api }, token);
    for (const taskId of ids)
      for (const era of ['older', 'newest'] as const) {
        for (const method of ['tasks/get', 'tasks/cancel'])
          t.same((await stranger[era](method, { taskId })).error, unknown, `${era} ${method}`);
        if (era === 'older') t.same((await stranger.older('tasks/result', { taskId })).error, unknown);
      }
    t.same((await stranger.older('tasks/list', {})).result?.tasks, []);
  }
  const [older = '', newest = ''] = ids;
  t.same((await caller.newest('tasks/get', { taskId: older })).error, unknown, 'each revision has its own');
  t.same((await caller.older('tasks/get', { taskId: newest })).error, unknown);
  await decide(await waitForPending(), 'approve');
  t.equal((await caller.older('tasks/get', { taskId: older })).error, undefined, 'nobody has cancelled it');
});

t.test('a client without tasks of a tool that is not held is answered as before', async (t) => {
  const { caller } = await startHeldTaskHub(t);
  const link = { name: 'good__link', arguments: {} };
  t.match((await caller.older('tools/call', { ...link, task: {} })).error, { code: -32601 });
  t.ok((await caller.newest('tools/call', link, knowsTasks)).result?.content);
});

/** With what changes an approval. */
async function startApprovable(t: Test) {
  const hub = await startHeldTaskHub(t);
  return {
    ...hub,
    async approveNext(text: string): Promise<void> {
      const approvalId = await eventually(async () => {
        for (const { approval } of await hub.list())
          if ((await hub.get(approval)).lines.some((line) => line.includes(text))) return approval;
        return undefined;
      });
      await hub.decide(approvalId ?? '', 'approve');
    },
  };
}
