/** The runner of held tasks, where a decision crosses a look at it, and where the store does not say what became of a write. */
import t, { type Test } from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import type { HubPrincipal } from '../../../src/hub/access/principal.ts';
import { ApprovalWaiters } from '../../../src/hub/approvals/approval-waiters.ts';
import { HeldTaskSeals, toTaskOwner } from '../../../src/hub/tasks/held/held-task-record.ts';
import { HeldTaskRunner } from '../../../src/hub/tasks/held/held-task-runner.ts';
import { HeldTasks } from '../../../src/hub/tasks/held/held-tasks.ts';
import type { ApprovalRow } from '../../../src/store/control/hubs/approvals.ts';
import { insertHeldTask } from '../../../src/store/control/hubs/held-tasks.ts';
import type { Database } from '../../../src/store/database.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createHubPeople } from '../fixtures/hub-people.ts';

async function startRunner(t: Test, writeTask: (real: Database) => Database['write'] = (real) => real.write) {
  const { api, hub, ids } = await createHubPeople(t);
  const { control } = api;
  const clock = fakeClock();
  const person = { personId: ids.Max ?? '', name: 'Max' };
  const via = { kind: 'token', tokenId: 't1', tokenName: 'ci' } as const;
  const principal: HubPrincipal = {
    hub: { id: hub.hub_id, slug: 'acme' },
    person,
    role: 'member',
    via,
    client: undefined,
  };
  const seals = new HeldTaskSeals({ id: 1, bytes: systemRandom.bytes(32) }, systemRandom);
  const waiters = new ApprovalWaiters(clock);
  const looks: PromiseWithResolvers<ApprovalRow | undefined>[] = [];
  const requests = {
    waiters,
    find: () => {
      const look = Promise.withResolvers<ApprovalRow | undefined>();
      looks.push(look);
      return look.promise;
    },
    inTurn: <T>(step: () => Promise<T>) => step(),
    endIfChanged: async () => undefined,
    withdraw: async () => undefined,
  };
  const write = writeTask(control.database);
  let readCount = 0;
  const countedRead: Database['read'] = async (operation) => {
    const result = await control.database.read(operation);
    // Behind what its caller does with it.
    setImmediate(() => {
      readCount += 1;
    });
    return result;
  };
  const parts = { clock, seals, requests };
  const { read } = control.database;
  const tasks = new HeldTasks({ ...parts, database: { read, write }, random: systemRandom });
  const errors: unknown[] = [];
  const runner = new HeldTaskRunner({
    ...{
      ...parts,
      database: { read: countedRead, write },
      tasks,
      findCaller: async () => principal,
      mayDeleteByAge: () => true,
    },
    callTool: () => Promise.reject(new Error('nothing is sent')),
    onError: (error) => errors.push(error),
  });
  t.teardown(() => runner.close());
  const approval: ApprovalRow = {
    ...{ id: 'a1', hub_id: hub.hub_id, state: 'pending', binding: '', call_digest: '', person_id: person.personId },
    ...{
      subject: '{}',
      connection: 'good',
      tool: 'echo',
      policy_revision: 1,
      sealed_call: null,
      stored_arguments: null,
    },
    ...{ requested_at_ms: 1, expires_at_ms: clock.nowMs() + 60_000, decided_at_ms: null, decided_by_id: null },
    ...{ decided_by: null, comment: null, ended_at_ms: null },
  };
  await control.database.write((sql) =>
    insertHeldTask(sql, {
      ...{ id: 'vph.one', ...toTaskOwner(principal), person_id: person.personId, era: 'newest', state: 'waiting' },
      ...{ approval_id: 'a1', connection_id: 'c', tool: 'echo', grant_credential: null, message: 'waits' },
      ...{ sealed_call: null, sealed_outcome: null, created_at_ms: 1, updated_at_ms: 1 },
      expires_at_ms: clock.nowMs() + 3_600_000,
    }),
  );
  /** Tells the runner of a change, and resolves when it has heard of it. */
  const announce = async (): Promise<void> => {
    const before = readCount;
    waiters.wake('a1');
    await eventually(() => readCount > before);
  };
  const waitForEnd = () => tasks.waitForEnd(principal, 'vph.one', new AbortController().signal);
  return { approval, announce, looks, waitForEnd, errors };
}

t.test('a decision that is made while the runner looks is not missed', { timeout: 120_000 }, async (t) => {
  const { approval, announce, looks, waitForEnd, errors } = await startRunner(t);
  const ended = waitForEnd();
  await announce();
  t.equal(looks.length, 1);
  await announce();
  looks[0]?.resolve(approval);
  await eventually(() => looks.length === 2, { description: 'another look, at what was decided meanwhile' });
  looks[1]?.resolve({ ...approval, state: 'denied', decided_by: 'Ana' });
  t.match(await ended, { state: 'completed', message: /refused/ });
  t.same(errors, []);
});

t.test('who waits gets an end that was stored without anybody knowing', { timeout: 120_000 }, async (t) => {
  const { approval, announce, looks, waitForEnd, errors } = await startRunner(t, ({ write }) => async (operation) => {
    await write(operation);
    throw vpError('STORE_OUTCOME_UNKNOWN', {});
  });
  const ended = waitForEnd();
  await announce();
  looks[0]?.resolve({ ...approval, state: 'denied', decided_by: 'Ana' });
  t.match(await ended, { state: 'completed' });
  t.match(errors, [{ code: 'STORE_OUTCOME_UNKNOWN' }]);
});
