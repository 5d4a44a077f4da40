/** The journal of a run tells the control plane how far it has come before each request of the cleanup, and waits for that. */
import t from 'tap';
import type { PollRequest } from '../../../src/contract/executor-api.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { ControlCaller } from '../../../src/executor/control-plane/control-caller.ts';
import type { ExecutorContext } from '../../../src/executor/executor-context.ts';
import { createChainJournal } from '../../../src/executor/runs/recover-chains.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { createExecutorSetup, neverRespond } from '../executor-setup.ts';
import { FakeControlPlane } from '../fake-control-plane.ts';
import { createRunRequest, scenarioText } from '../test-project.ts';

const position = { seq: 4, registered_at_ms: 1, epoch: 3, fence: 7, finished_runs: 0 };
const scenario = scenarioText('GET ${INGESTION_URL}/a', ['status=200']);
const request = createRunRequest(scenario);
const progress = { position: 2, captures: [], withheld: [] };

/** A journal whose control plane answers as `answer` says; `note` counts what was committed. */
function createTestJournal(answer: () => Promise<{ lease: null }>) {
  const clock = fakeClock();
  const polls: PollRequest[] = [];
  const noted: string[] = [];
  const control = Object.assign(new FakeControlPlane(), {
    poll: (message: PollRequest) => {
      polls.push(message);
      return answer();
    },
  });
  const log = { info: () => undefined, warn: () => undefined };
  const { signal } = new AbortController();
  const context = {
    ...{ control, clock, log, random: systemRandom, stopping: signal, hardStop: signal },
    ...{ controlCaller: new ControlCaller(clock, systemRandom, log), getEpoch: () => 3 },
    outbox: { noteChain: async ({ run_id }: { run_id: string }) => void noted.push(run_id), position: () => position },
  } as unknown as ExecutorContext;
  return { clock, polls, noted, journal: createChainJournal(context, 'queue', request) };
}

t.test('a request of the cleanup waits until the control plane has noted it, others do not', async (t) => {
  const answered = Promise.withResolvers<{ lease: null }>();
  const { journal, polls, noted } = createTestJournal(() => answered.promise);
  t.equal(await journal(progress, false), true);
  t.same(polls, [], 'a step is only committed');
  let mayBeSent = false;
  const sending = journal(progress, true).then((isStored) => {
    mayBeSent = isStored;
  });
  await eventually(() => polls.length === 1);
  t.match(polls, [{ in_hand: request.runId, wait_ms: 0, journal: position }]);
  t.equal(noted.length, 2, 'it is committed before');
  t.equal(mayBeSent, false);
  answered.resolve({ lease: null });
  await sending;
  t.equal(mayBeSent, true);
});

t.test('a control plane that does not answer delays the cleanup of a run by 5 s, once', async (t) => {
  const { clock, journal, polls } = createTestJournal(() => new Promise(() => {}));
  let mayBeSent = false;
  const sending = journal(progress, true).then((isStored) => {
    mayBeSent = isStored;
  });
  await eventually(() => polls.length > 0);
  clock.advance(4999);
  await new Promise((resolve) => setImmediate(resolve));
  t.equal(mayBeSent, false);
  clock.advance(1);
  await sending;
  t.equal(mayBeSent, true, 'what the run left matters more than an older copy of the folder');
  const before = polls.length;
  t.equal(await journal({ ...progress, position: 3 }, true), true);
  t.equal(polls.length, before, 'the next request is sent at once');
});

t.test('the cleanup of a run that a kill has ended is sent after the next start was accepted', async (t) => {
  const { control, target, testExecutor, restart } = await createExecutorSetup(t);
  neverRespond(target);
  control.request(`${scenario}\n## CLEANUP\n\n### remove\n\nDELETE \${INGESTION_URL}/a\n\n- status=200\n`);
  await eventually(() => target.arrived.length === 1);
  await testExecutor.kill();
  target.handler = respondWithJson({ count: 1 });
  control.refusals.set('hello', new TypeError('fetch failed'));
  const before = control.count('hello');
  await restart();
  await eventually(() => control.count('hello') > before + 2);
  t.equal(target.arrived.length, 1, 'until then another start may be the one that does it');
  control.refusals.clear();
  await eventually(() => target.arrived.length === 2);
  t.equal(target.arrived[1]?.method, 'DELETE');
});
