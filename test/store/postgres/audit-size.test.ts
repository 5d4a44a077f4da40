import t, { type Test } from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readAuditBytes } from '../../../src/store/postgres/audit-size.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTestDatabase, type TestDatabase } from '../../postgres/test-database.ts';

/** Hexadecimal text that does not compress, another one for each row. */
const randomText = (length: string) => `(SELECT string_agg(md5(seq::text || '/' || part), '')
  FROM generate_series(1, (${length}) / 32) AS part)`;

/** Rows as hubs write them: two hubs, distinct times, people and requests; a call in ten has long arguments. */
async function createFilledAudit(t: Test): Promise<TestDatabase> {
  const database = await createTestDatabase(t);
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url: database.url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock });
  await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
  await stores.close();
  await database.query(`
    INSERT INTO vp_audit.chains VALUES (1, 'one', 0, '', 9000, '', '', 0), (2, 'two', 0, '', 3000, '', '', 0);
    INSERT INTO vp_audit.entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
      SELECT hub, seq, seq * 70, seq % 40, seq % 40, seq % 5, seq % 60, seq, 0, ${randomText('500')}, sha256(seq::text::bytea)
      FROM (VALUES (1, 9000), (2, 3000)) AS hubs (hub, count), generate_series(1, count) AS seq;
    INSERT INTO vp_audit.arguments
      SELECT id, substr(sha256('salt'), 1, 16), ${randomText('CASE WHEN seq % 10 = 0 THEN 6000 ELSE 64 END')} FROM vp_audit.entries`);
  return database;
}

t.test('the size of the audit is that of its rows, also after some were deleted', { skip }, async (t) => {
  const { query } = await createFilledAudit(t);
  const readBytes = () => readAuditBytes(async (text) => ({ rows: await query(text) }));
  const [{ bytes } = {}] = await query(`SELECT sum(pg_total_relation_size(oid))::int AS bytes FROM pg_class
    WHERE relnamespace = 'vp_audit'::regnamespace AND relkind = 'r'`);
  const full = await readBytes();
  t.ok(Math.abs(full / Number(bytes) - 1) < 0.15, `${full} of ${bytes} bytes`);
  await query(`DELETE FROM vp_audit.arguments WHERE entry IN (SELECT id FROM vp_audit.entries WHERE hub = 1 AND seq <= 6000);
    DELETE FROM vp_audit.entries WHERE hub = 1 AND seq <= 6000; UPDATE vp_audit.chains SET before_seq = 6000 WHERE hub = 1`);
  const half = await readBytes();
  t.ok(Math.abs(half / full - 0.5) < 0.05, `${half} of ${full} bytes`);
});

t.test('an audit without rows has no size', { skip }, async (t) => {
  const { query } = await createFilledAudit(t);
  await query('TRUNCATE vp_audit.entries, vp_audit.arguments; UPDATE vp_audit.chains SET before_seq = head_seq');
  t.equal(await readAuditBytes(async (text) => ({ rows: await query(text) })), 0);
});
