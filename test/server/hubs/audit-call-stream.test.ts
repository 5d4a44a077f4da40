import t from 'tap';
import type { AuditCall } from '../../../src/contract/hubs/audit-api.ts';
import { createAuditCallStream } from '../../../src/server/hubs/audit-call-stream.ts';
import { fakeClock } from '../../environment/fake-clock.ts';

const call = (seq: number): AuditCall => Object({ seq });
const signal = new AbortController().signal;

/** Until what waits has been reached. */
async function passTurns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

t.test('a comment says every 15 s that the connection works, however often access is checked', async (t) => {
  const clock = fakeClock();
  const stream = createAuditCallStream(clock);
  const texts = stream.texts(
    signal,
    async () => true,
    () => {},
  );
  t.equal((await texts.next()).value, ': following\n\n');
  let next: unknown;
  void texts.next().then(({ value }) => {
    next = value;
  });
  for (let second = 0; second < 15; second += 5) {
    await passTurns();
    t.equal(next, undefined, `${second} s`);
    stream.recheck();
    await passTurns();
    clock.advance(5000);
  }
  await passTurns();
  t.equal(next, ': still here\n\n');
  await texts.return();
});

t.test('a call that comes while access is checked is not sent with that check', async (t) => {
  const clock = fakeClock();
  const stream = createAuditCallStream(clock);
  const checks: PromiseWithResolvers<boolean>[] = [];
  const isAllowed = () => {
    checks.push(Promise.withResolvers());
    return checks.at(-1)?.promise ?? Promise.resolve(false);
  };
  const texts = stream.texts(signal, isAllowed, () => {});
  const opened = texts.next();
  checks[0]?.resolve(true);
  await opened;
  stream.add(call(1));
  const first = texts.next();
  await passTurns();
  clock.advance(250);
  await passTurns();
  stream.add(call(2));
  checks[1]?.resolve(true);
  t.match((await first).value, /^event: call\nid: 1\n[^\n]+\n\n$/);
  const second = texts.next();
  await passTurns();
  clock.advance(250);
  await passTurns();
  checks[2]?.resolve(false);
  t.same(await second, { value: undefined, done: true });
});
