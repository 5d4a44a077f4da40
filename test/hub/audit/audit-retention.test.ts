/** What retention deletes, also when the clock of the machine was wrong. */
import t from 'tap';
import { createEntry, listFaults, openTestAudit } from './test-audit.ts';

const dayMs = 86_400_000;

t.test('one call with a wrong time deletes none of the fresh calls before it', async (t) => {
  const testAudit = await openTestAudit(t);
  const { audit, clock } = testAudit;
  const record = (atMs: number) => audit.record(createEntry({ atMs }));
  for (let index = 0; index < 300; index += 1) await record(clock.nowMs());
  await record(Date.UTC(1973, 0, 1));
  for (let index = 0; index < 6; index += 1) await record(clock.nowMs());
  await audit.applyRetention();
  t.match(await audit.state('id-of-acme'), { first_seq: 1, last_seq: 307 });
  const { items } = await audit.search('id-of-acme', { limit: 400 });
  t.strictSame(
    items.filter((call) => call.arguments === null).map(({ seq }) => seq),
    [],
    'no arguments were erased either',
  );
  t.strictSame(await listFaults(testAudit), []);
});

t.test('a call with a time in the future does not keep the ones before it', async (t) => {
  const { audit, clock } = await openTestAudit(t, { maxAgeMs: 10 * dayMs, argumentsMaxAgeMs: 3 * dayMs });
  for (const atMs of [0, 1, 2, 500 * dayMs, 4]) await audit.record(createEntry({ atMs: clock.nowMs() + atMs }));
  clock.advance(11 * dayMs);
  await audit.applyRetention();
  t.match(await audit.state('id-of-acme'), { first_seq: 4, last_seq: 5 });
});
