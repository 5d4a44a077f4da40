/** A commit whose outcome nobody knows, as when the connection to PostgreSQL breaks: what it may have done is noticed later. */
import t, { type Test } from 'tap';
import { openControl } from '../../../src/control/open-control.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { vpError } from '../../../src/errors/vp-error.ts';
import { openControlStore } from '../../../src/store/control/control-store.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { createScenarioText, createTestReport } from '../report-fixture.ts';
import { greet, requestTestRun } from './lease-fixture.ts';

const poll = { in_hand: null, wait_ms: 0 } as const;
const leaseMs = 30_000;

/** `loseAnswer` commits the next write and says that nobody knows whether it did. */
async function openUncertain(t: Test) {
  const clock = fakeClock();
  const opened = await openControlStore({ folder: t.testdir(), pid: 1 });
  let isAnswerLost = false;
  const answer = <T>(result: T): T => {
    if (!isAnswerLost) return result;
    isAnswerLost = false;
    throw vpError('STORE_OUTCOME_UNKNOWN', {});
  };
  const { database } = opened;
  const write: typeof database.write = async (operation) => answer(await database.write(operation));
  const writeAndRead: typeof database.writeAndRead = async (operation, reading) =>
    answer(await database.writeAndRead(operation, reading));
  const store = { ...opened, database: { ...database, write, writeAndRead } };
  const onError = (error: unknown) => t.fail(`${error}`);
  const control = await openControl({ folder: t.testdirName, clock, random: systemRandom, pid: 1, onError, store });
  t.teardown(() => control.close());
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const loseAnswer = (): void => {
    isAnswerLost = true;
  };
  return { control, clock, port, epoch: welcome.epoch, loseAnswer };
}

t.test('a run that was leased so ends, although its executor never polls again', async (t) => {
  const { control, clock, port, epoch, loseAnswer } = await openUncertain(t);
  const runId = await requestTestRun(control);
  loseAnswer();
  await t.rejects(port.poll({ epoch, ...poll }), { code: 'STORE_OUTCOME_UNKNOWN' });
  t.match(await control.runs.get(runId), { state: 'in_progress' }, 'it was committed');
  clock.advance(leaseMs);
  // Its watch begins with a look at the store.
  await eventually(async () => {
    clock.advance(leaseMs);
    return (await control.runs.get(runId)).state === 'failed';
  });
  t.match(await control.runs.get(runId), { report: { failure: { kind: 'executor_lost' } } });
});

t.test('who waits for a run hears its end from the report that is sent again', async (t) => {
  const { control, port, epoch, loseAnswer } = await openUncertain(t);
  const runId = await requestTestRun(control);
  const { lease } = await port.poll({ epoch, ...poll });
  if (!lease) return t.fail('no lease');
  const ended = control.runs.wait(runId, 60_000);
  const report = createTestReport(lease, 'app');
  const message = { epoch, run_id: runId, fence: lease.fence, more: false, report };
  loseAnswer();
  await t.rejects(port.complete(message), { code: 'STORE_OUTCOME_UNKNOWN' });
  await port.complete(message);
  t.match(await ended, { run_id: runId, state: report.result });
});

t.test('a lease that is renewed in time keeps its watch when the store is looked at', async (t) => {
  const { control, clock, port, epoch } = await openUncertain(t);
  const runId = await requestTestRun(control);
  const { lease } = await port.poll({ epoch, ...poll });
  for (let count = 0; count < 4; count += 1) {
    clock.advance(leaseMs - 1);
    const renewed = await port.heartbeat({ epoch, run_id: runId, fence: lease?.fence ?? 0 });
    t.match(renewed, { lease_ms: leaseMs });
  }
});
