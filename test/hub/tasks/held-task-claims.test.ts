/** The steps of a task that waits for an approval, in the store: each is made once, by one process. */
import t, { type Test } from 'tap';
import { insertApproval } from '../../../src/store/control/hubs/approvals.ts';
import {
  claimHeldTask,
  endHeldTask,
  type HeldTaskRow,
  insertHeldTask,
  listDecidedHeldTasks,
} from '../../../src/store/control/hubs/held-tasks.ts';
import { createHubPeople } from '../fixtures/hub-people.ts';
import { startHeldTaskHub } from './held-task-hub.ts';

/** Tasks of a hub for which no runner works: it would end those that are claimed here. */
async function openTasks(t: Test) {
  const { api, hub } = await createHubPeople(t);
  const { database } = api.control;
  const insert = async (id: string, approvalId: string): Promise<void> => {
    const row: HeldTaskRow = {
      ...{ id, hub_id: hub.hub_id, owner: '[]', person_id: 'nobody', era: 'newest', state: 'waiting' },
      ...{ approval_id: approvalId, connection_id: 'c', tool: 'echo', grant_credential: null, message: 'waits' },
      ...{ sealed_call: null, sealed_outcome: null, created_at_ms: 1, updated_at_ms: 1, expires_at_ms: 2 },
    };
    await database.write((sql) => insertHeldTask(sql, row));
  };
  return { database, hub, insert };
}

t.test('of many that claim a waiting task one gets it, and an ended task is not claimed', async (t) => {
  const { database, insert } = await openTasks(t);
  const claim = (id: string): Promise<boolean> => database.write((sql) => claimHeldTask(sql, id, 'being sent', 1));
  await insert('vph.one', 'missing');
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim('vph.one')));
  t.equal(claims.filter(Boolean).length, 1);
  const end = { state: 'failed', message: 'ended', sealed_outcome: null, updated_at_ms: 2 } as const;
  t.notOk(await database.write((sql) => endHeldTask(sql, 'vph.one', 'waiting', end)), 'it does not wait any more');
  t.ok(await database.write((sql) => endHeldTask(sql, 'vph.one', 'sending', end)));
  t.notOk(await claim('vph.one'));
  t.notOk(await database.write((sql) => endHeldTask(sql, 'vph.one', 'sending', end)), 'it ends once');
});

t.test('a task that its client has cancelled is not claimed', async (t) => {
  const { api, caller, sent } = await startHeldTaskHub(t);
  const taskId = await caller.startOlder();
  t.match((await caller.older('tasks/cancel', { taskId })).result, { status: 'cancelled' });
  t.notOk(await api.control.database.write((sql) => claimHeldTask(sql, taskId, 'being sent', 1)));
  t.equal(sent().length, 0);
});

t.test('only tasks whose approval is decided, or does not exist, are taken up', async (t) => {
  const { database, hub, insert } = await openTasks(t);
  await database.write((sql) =>
    insertApproval(sql, {
      ...{ id: 'open', hub_id: hub.hub_id, state: 'pending', binding: '', call_digest: '', person_id: 'nobody' },
      ...{ subject: '{}', connection: 'good', tool: 'echo', policy_revision: 1, sealed_call: null },
      ...{ stored_arguments: null, requested_at_ms: 1, expires_at_ms: 2, decided_at_ms: null, decided_by_id: null },
      ...{ decided_by: null, comment: null, ended_at_ms: null },
    }),
  );
  await insert('vph.pending', 'open');
  t.same(await database.read((sql) => listDecidedHeldTasks(sql, 10)), []);
  await insert('vph.one', 'missing');
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
