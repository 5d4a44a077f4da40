/** How often the database is asked and answers: each costs a run more than its statements do. */
import pg from 'pg';
import t from 'tap';
import { executorFeatures } from '../../../src/contract/executor-api.ts';
import { isOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createTestReport } from '../report-fixture.ts';
import { greet, journalOf, requestTestRun } from './lease-fixture.ts';

const skip = isOnPostgres ? false : 'counts messages to PostgreSQL';

/** Messages of statements that `action` sent, without those of background work, which are of another kind. */
async function countMessages(action: () => Promise<unknown>): Promise<number> {
  const { sync } = pg.Connection.prototype;
  let messages = 0;
  pg.Connection.prototype.sync = function count() {
    messages += 1;
    return sync.call(this);
  };
  try {
    await action();
    return messages;
  } finally {
    pg.Connection.prototype.sync = sync;
  }
}

t.test('a run of a queue takes two messages, and its document one', { skip }, async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const caller = { epoch: welcome.epoch, journal: journalOf(welcome), features: executorFeatures };
  const runIds = [await requestTestRun(control), await requestTestRun(control), await requestTestRun(control)];
  let { lease } = await port.poll({ ...caller, in_hand: null, wait_ms: 0 });
  for (const [index, run_id] of runIds.entries()) {
    if (lease?.run_id !== run_id) throw new Error('another run was leased');
    const message = { ...caller, run_id, fence: lease.fence, more: true, report: createTestReport(lease, 'app') };
    const messages = await countMessages(async () => ({ lease } = await port.complete(message)));
    if (index < 2) t.equal(messages, 2, 'what is read, and what is written with the commit');
    // The first look at a document finds out that all of its statements are announced.
    await control.runs.get(run_id);
  }
  t.equal(await countMessages(() => control.runs.get(runIds[0] ?? '')), 1);
});

t.test('a run that is requested while its executor waits is leased with three messages', { skip }, async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const caller = { epoch: welcome.epoch, journal: journalOf(welcome), features: executorFeatures };
  const poll = port.poll({ ...caller, in_hand: null, wait_ms: 60_000 });
  // Its look at the queue comes first.
  await control.database.write(() => undefined);
  for (let look = 0; look < 20; look += 1) await control.instances.get('app');
  t.equal(
    await countMessages(() => requestTestRun(control)),
    3,
    'what is read, what is queued, and the lease with the commit',
  );
  t.ok((await poll).lease);
});
