/** The tasks that a hub remembers: found by person and by the id of their server, and bounded. */
import t from 'tap';
import { type KnownTask, KnownTasks } from '../../../src/hub/tasks/known-tasks.ts';

function createTask(number: number, personId = 'ann', taskId = `task-${number}`): Omit<KnownTask, 'lastReport'> {
  return {
    publicId: `${personId}-${number}`,
    route: { connectionId: 'c-1', tool: 'report', taskId, era: 'older' },
    hubId: 'h1',
    personId,
    sessionId: undefined,
    state: { status: 'working' },
  };
}

const listIds = (known: KnownTasks, personId = 'ann', hubId = 'h1') =>
  known.list({ hub: { id: hubId, slug: hubId }, person: { personId, name: personId } }).map(({ publicId }) => publicId);

t.test('a task is found by the id of its server, unless two people have it', async (t) => {
  const known = new KnownTasks();
  known.add(createTask(1));
  t.equal(known.findByServerId('c-1', 'task-1')?.publicId, 'ann-1');
  t.equal(known.findByServerId('c-2', 'task-1'), undefined);
  known.add(createTask(1, 'bob'));
  t.equal(known.findByServerId('c-1', 'task-1'), undefined);
  known.remove('bob-1');
  t.equal(known.findByServerId('c-1', 'task-1')?.publicId, 'ann-1');
  known.update('ann-1', { status: 'completed' });
  t.equal(known.findByServerId('c-1', 'task-1')?.state.status, 'completed');
});

t.test('a report that is read before the response with its task is held for it, within bounds', async (t) => {
  const known = new KnownTasks();
  known.holdReport('c-1', 'task-1', { status: 'completed' });
  t.equal(known.add({ ...createTask(1), route: { ...createTask(1).route, connectionId: 'c-2' } }), undefined);
  t.same(known.add(createTask(1)), { status: 'completed' });
  t.equal(known.add(createTask(1)), undefined, 'once');
  for (let number = 0; number < 257; number += 1) known.holdReport('c-1', `early-${number}`, { status: 'working' });
  t.equal(known.add(createTask(300, 'ann', 'early-0')), undefined, 'the oldest made room');
  t.ok(known.add(createTask(301, 'ann', 'early-256')));
  known.holdReport('c-1', 'large', { status: 'working', statusMessage: 'x'.repeat(5000) });
  t.equal(known.add(createTask(302, 'ann', 'large')), undefined);
});

t.test('a task that is added again is the newest', async (t) => {
  const known = new KnownTasks();
  for (const number of [1, 2, 1]) known.add(createTask(number));
  t.same(listIds(known), ['ann-2', 'ann-1']);
  t.same(listIds(known, 'ann', 'h2'), []);
});

t.test('a person has 200 tasks; the oldest makes room and is not found any more', async (t) => {
  const known = new KnownTasks();
  known.add(createTask(0, 'bob'));
  for (let number = 0; number < 201; number += 1) known.add(createTask(number));
  t.equal(listIds(known).length, 200);
  t.equal(known.findByServerId('c-1', 'task-0')?.personId, 'bob');
  t.same(listIds(known, 'bob'), ['bob-0']);
});

t.test('20,000 tasks are remembered; the oldest of all makes room', async (t) => {
  const known = new KnownTasks();
  for (let person = 0; person < 100; person += 1)
    for (let number = 0; number < 200; number += 1) known.add(createTask(number, `p${person}`, `${person}-${number}`));
  known.add(createTask(1, 'ann'));
  t.equal(listIds(known, 'p0').length, 199);
  t.equal(known.findByServerId('c-1', '0-0'), undefined);
  t.ok(known.findByServerId('c-1', '0-1'));
  t.same(listIds(known), ['ann-1']);
});
