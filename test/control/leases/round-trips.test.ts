/**
 * How often the database is asked and answers: each costs a run more than its statements do. Own process: counts the messages of all connections.
 */
import { Socket } from 'node:net';
import t from 'tap';
import { executorFeatures } from '../../../src/contract/executor-api.ts';
import { MessageWriter } from '../../../src/store/postgres/message-writer.ts';
import { isOnPostgres } from '../../store/engine-under-test.ts';
import { openTestControlWithApp } from '../control-fixture.ts';
import { createTestReport } from '../report-fixture.ts';
import { greet, journalOf, requestTestRun } from './lease-fixture.ts';

const skip = isOnPostgres ? false : 'counts messages to PostgreSQL';

/** Looks for commits of others, by the names of their statements: they come at any time. */
const isBackground = (text: string): boolean => /last_commit_|writer_/.test(text);

/** What `action` sent: pieces that a socket got, and statements in them. Other background work is of another kind. */
async function countSent(action: () => Promise<unknown>): Promise<{ messages: number; statements: number }> {
  const { write } = Socket.prototype;
  const { bind } = MessageWriter.prototype;
  const counts = { messages: 0, statements: 0 };
  Socket.prototype.write = function count(this: Socket, ...args: Parameters<Socket['write']>) {
    const [piece] = args;
    const text = Buffer.isBuffer(piece) ? piece.toString('latin1') : '';
    if (/^[BCP]/.test(text) && !isBackground(text)) counts.messages += 1;
    return write.apply(this, args);
  } as Socket['write'];
  MessageWriter.prototype.bind = function count(name, values) {
    if (!isBackground(name)) counts.statements += 1;
    bind.call(this, name, values);
  };
  try {
    await action();
    return counts;
  } finally {
    Socket.prototype.write = write;
    MessageWriter.prototype.bind = bind;
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
    const sent = await countSent(async () => ({ lease } = await port.complete(message)));
    // BEGIN, the lock, the numbers and three reads; the run, its report and body, the journal, the next lease and COMMIT.
    if (index < 2) t.same(sent, { messages: 2, statements: 12 }, 'what is read, and what is written with the commit');
  }
  const sent = await countSent(() => control.runs.get(runIds[0] ?? ''));
  t.same(sent, { messages: 1, statements: 1 }, 'a single statement needs no transaction');
});

t.test('a run that is requested while its executor waits is leased with two messages', { skip }, async (t) => {
  const { control } = await openTestControlWithApp(t);
  const { welcome } = await greet(control, 'start-one');
  const port = control.executorPort('app');
  const caller = { epoch: welcome.epoch, journal: journalOf(welcome), features: executorFeatures };
  const poll = port.poll({ ...caller, in_hand: null, wait_ms: 60_000 });
  // Its look at the queue comes first.
  await control.database.write(() => undefined);
  for (let look = 0; look < 20; look += 1) await control.instances.get('app');
  const sent = await countSent(() => requestTestRun(control));
  // BEGIN, the lock, the numbers and four reads; the run, the journal, the lease, the time of the run and COMMIT.
  t.same(sent, { messages: 2, statements: 12 }, 'what is read, and the run and its lease with the commit');
  const { lease } = await poll;
  if (!lease) throw new Error('no run was leased');
  const { run_id, fence } = lease;
  const announced = await countSent(() => port.heartbeat({ ...caller, run_id, fence, before_send: true }));
  t.same(announced, { messages: 1, statements: 3 }, 'the lock, whether the replica is active, and the lease');
});

t.test(
  'the document of a run that somebody waits for comes with its end, and the poll behind it reads nothing',
  { skip },
  async (t) => {
    const { control } = await openTestControlWithApp(t);
    const { welcome } = await greet(control, 'start-one');
    const port = control.executorPort('app');
    const caller = { epoch: welcome.epoch, journal: journalOf(welcome), features: executorFeatures };
    const runId = await requestTestRun(control);
    const { lease } = await port.poll({ ...caller, in_hand: null, wait_ms: 0 });
    if (!lease) throw new Error('no run was leased');
    const message = {
      ...caller,
      run_id: runId,
      fence: lease.fence,
      more: true,
      report: createTestReport(lease, 'app'),
    };
    const ended = control.runs.wait(runId, 60_000);
    const sent = await countSent(async () => {
      await port.complete(message);
      t.match(await ended, { run_id: runId, state: 'passed', report: { run_id: runId } });
    });
    // BEGIN, the lock, the numbers and three reads; the run, its report and body, COMMIT and the document.
    t.same(sent, { messages: 2, statements: 11 });
    let poll: ReturnType<typeof port.poll> | undefined;
    const looked = await countSent(async () => {
      poll = port.poll({ ...caller, in_hand: null, wait_ms: 60_000 });
      await new Promise((resolve) => setImmediate(resolve));
    });
    t.same(looked, { messages: 0, statements: 0 });
    const { messages } = await countSent(() => requestTestRun(control));
    t.equal(messages, 2, 'it waits already');
    t.ok((await poll)?.lease);
  },
);
