/** The steps of a task that waits for an approval, in the store: each is made once, by one process. */
import t from 'tap';
import {
  claimHeldTask,
  endHeldTask,
  type HeldTaskRow,
  insertHeldTask,
  listDecidedHeldTasks,
} from '../../../src/store/control/hubs/held-tasks.ts';
import { echo, startHeldTaskHub } from './held-task-hub.ts';

t.test('of many that claim a waiting task one gets it, and an ended task is not claimed', async (t) => {
  const { api, caller, sent } = await startHeldTaskHub(t);
  const { database } = api.control;
  const claim = (id: string): Promise<boolean> => database.write((sql) => claimHeldTask(sql, id, 'being sent', 1));
  const taskId = await caller.startOlder();
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(taskId)));
  t.equal(claims.filter(Boolean).length, 1);
  const end = { state: 'failed', message: 'ended', sealed_outcome: null, updated_at_ms: 2 } as const;
  t.notOk(await database.write((sql) => endHeldTask(sql, taskId, 'waiting', end)), 'it does not wait any more');
  t.ok(await database.write((sql) => endHeldTask(sql, taskId, 'sending', end)));
  t.notOk(await claim(taskId));
  t.notOk(await database.write((sql) => endHeldTask(sql, taskId, 'sending', end)), 'it ends once');
  const other = await caller.startOlder({ ...echo, arguments: { text: 'other' } });
  t.match((await caller.older('tasks/cancel', { taskId: other })).result, { status: 'cancelled' });
  t.notOk(await claim(other), 'nor is a cancelled one');
  t.equal(sent().length, 0);
});

t.test('only tasks whose approval is decided, or does not exist, are taken up', async (t) => {
  const { api, caller, hub } = await startHeldTaskHub(t);
  const { database } = api.control;
  await caller.startOlder();
  t.same(await database.read((sql) => listDecidedHeldTasks(sql, 10)), []);
  const row: HeldTaskRow = {
    ...{ id: 'vph.one', hub_id: hub.hub_id, owner: '[]', person_id: 'nobody', era: 'newest', state: 'waiting' },
    ...{ approval_id: 'missing', connection_id: 'c', tool: 'echo', grant_credential: null, message: 'waits' },
    ...{ sealed_call: null, sealed_outcome: null, created_at_ms: 1, updated_at_ms: 1, expires_at_ms: 2 },
  };
  await database.write((sql) => insertHeldTask(sql, row));
  t.match(await database.read((sql) => listDecidedHeldTasks(sql, 10)), [{ id: 'vph.one' }]);
});

t.test('who waits for a result when the hub stops is answered, and the task stays', async (t) => {
  const { api, caller, gateway, waitForPending } = await startHeldTaskHub(t);
  const taskId = await caller.startOlder();
  await waitForPending();
  const result = caller.older('tasks/result', { taskId });
  await caller.older('tasks/get', { taskId });
  await gateway.drain();
  t.match((await result).error, { code: -32603, message: /is stopping/ });
  const rows = await api.control.database.read((sql) => sql.all('SELECT state FROM hub_held_tasks'));
  t.same(rows, [{ state: 'waiting' }]);
});
