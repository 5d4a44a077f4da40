/** What retention deletes, also when the clock of the machine was wrong. */
import t from 'tap';
import { createEntry, exceedAuditSize, listFaults, openTestAudit, verifyAudit } from './test-audit.ts';

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

t.test(
  'the audit keeps about as much as its size, the largest hub loses rows first, and the chains verify',
  async (t) => {
    const maxBytes = 6_000_000;
    const testAudit = await openTestAudit(t, { maxBytes });
    const { audit } = testAudit;
    await exceedAuditSize(testAudit);
    await audit.applyRetention();
    const { used_bytes: usedBytes } = await audit.state('id-of-acme');
    t.ok(usedBytes <= maxBytes && usedBytes > maxBytes / 2, `${usedBytes} bytes`);
    t.match(await audit.search('id-of-quiet', { limit: 5 }), { items: [{ seq: 1 }] });
    const [quiet, loud] = await verifyAudit(testAudit);
    t.match(quiet, { hub: 'quiet', firstSeq: 1, faults: [] });
    t.match(loud, { hub: 'acme', lastSeq: 10_000, faults: [] });
    t.ok((loud?.firstSeq ?? 0) > 1000);
    t.ok((loud?.entries ?? 0) > 3000, `${loud?.entries} rows are left`);
  },
);
