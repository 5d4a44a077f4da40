/** Statements are published at an interval, to every target, until the audit is closed. */
import t, { type Test } from 'tap';
import { AnchorPublisher, type AnchorStamper } from '../../../src/hub/audit/anchor-publisher.ts';
import type { AnchorStatement } from '../../../src/hub/audit/anchor-statement.ts';
import { defaultAuditSettings } from '../../../src/hub/audit/audit-settings.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { eventually } from '../../eventually.ts';

function startPublisher(t: Test, stamper?: AnchorStamper) {
  const clock = fakeClock();
  const state = { seq: 1, problem: undefined as Error | undefined, readProblem: undefined as Error | undefined };
  const sent: string[] = [];
  const states: string[] = [];
  const createTarget = (name: string, getProblem: () => Error | undefined) => ({
    name,
    async send({ chains, time_stamp }: Pick<AnchorStatement, 'chains' | 'time_stamp'>) {
      const problem = getProblem();
      if (problem) throw problem;
      sent.push(`${name} ${chains.map(({ seq }) => seq)}${time_stamp === undefined ? '' : ` ${time_stamp}`}`);
    },
  });
  const publisher = new AnchorPublisher({
    readUsedBytes: async () => 4096,
    async readEnds() {
      if (state.readProblem) throw state.readProblem;
      return [{ hub_id: 'h1', seq: state.seq, mac: Buffer.alloc(32), at_ms: 0, before_seq: 0, erased_seq: 0 }];
    },
    targets: [createTarget('file', () => undefined), createTarget('hook', () => state.problem)],
    key: undefined,
    stamper,
    limits: defaultAuditSettings,
    clock,
    intervalMs: 60_000,
    onTargetState: (target, error) => states.push(`${target} ${error instanceof Error ? error.message : 'works'}`),
  });
  t.teardown(() => publisher.close());
  return { clock, state, sent, states, publisher };
}

t.test('each interval states what is new, and an hour without news confirms the last statement', async (t) => {
  const { clock, state, sent } = startPublisher(t);
  clock.advance(60_000);
  await eventually(() => sent.length === 2);
  t.same(sent.splice(0), ['file 1', 'hook 1']);
  clock.advance(60_000);
  state.seq = 7;
  await eventually(() => {
    clock.advance(60_000);
    return sent.length === 2;
  });
  t.same(sent.splice(0), ['file 7', 'hook 7']);
  await eventually(() => {
    clock.advance(600_000);
    return sent.length >= 2;
  });
  t.same(sent.slice(0, 2), ['file 7', 'hook 7']);
});

t.test('a target that fails is reported once, holds up no other, and gets the next statement', async (t) => {
  const { state, sent, states, publisher } = startPublisher(t);
  state.problem = new Error('503');
  await publisher.publish();
  await publisher.publish();
  t.same(sent.splice(0), ['file 1']);
  t.same(states, ['hook 503']);
  state.problem = undefined;
  await publisher.publish();
  t.same(sent, ['hook 1']);
  t.same(states, ['hook 503', 'hook works']);
});

t.test('an audit that cannot be read is reported for every target', async (t) => {
  const { state, sent, states, publisher } = startPublisher(t);
  state.readProblem = new Error('disk');
  await publisher.publish();
  t.same(states, ['file disk', 'hook disk']);
  state.readProblem = undefined;
  await publisher.publish();
  t.same(sent, ['file 1', 'hook 1']);
});

t.test('the last ends are stated when the audit is closed', async (t) => {
  const { state, sent, publisher, clock } = startPublisher(t);
  await publisher.publish();
  state.seq = 2;
  await publisher.close();
  t.same(sent.slice(2), ['file 2', 'hook 2']);
  clock.advance(600_000);
  t.equal(sent.length, 4);
});

t.test('while time stamps fail, statements go on without them, and are stated again with one', async (t) => {
  let problem: Error | undefined = new Error('503');
  const stamper = {
    name: 'stamps',
    async stamp() {
      if (problem) throw problem;
      return 'stamped';
    },
  };
  const { state, sent, states, publisher } = startPublisher(t, stamper);
  await publisher.publish();
  t.same(sent.splice(0), ['file 1', 'hook 1']);
  t.same(states.splice(0), ['stamps 503']);
  await publisher.publish();
  t.same(sent, [], 'nothing new is stated without a time stamp');
  state.seq = 2;
  await publisher.publish();
  t.same(sent.splice(0), ['file 2', 'hook 2']);
  problem = undefined;
  await publisher.publish();
  t.same(sent.splice(0), ['file 2 stamped', 'hook 2 stamped']);
  t.same(states.splice(0), ['stamps works']);
  await publisher.publish();
  t.same(sent, [], 'once');
});

t.test('at the end a server that does not answer costs the time stamp, and not the statement', async (t) => {
  const stamper = { name: 'stamps', stamp: () => new Promise<string>(() => undefined) };
  const { clock, sent, publisher } = startPublisher(t, stamper);
  void publisher.publish();
  let isClosed = false;
  const closing = publisher.close().then(() => {
    isClosed = true;
  });
  await eventually(() => {
    clock.advance(2000);
    return isClosed;
  });
  await closing;
  t.same(sent, ['file 1', 'hook 1']);
});
