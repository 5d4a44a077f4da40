import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { searchAuditEntries } from '../../../src/store/audit/search.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../../src/store/postgres/stores.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

t.test('a page of the audit has the newest calls, however PostgreSQL joins the tables', { skip }, async (t) => {
  const { name, url, query } = await createTestDatabase(t);
  // What the planner chooses by itself once tables have grown.
  await query(`ALTER DATABASE ${name} SET enable_nestloop TO off`);
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  const stores = await openPostgresStores({ settings, clock: systemClock });
  t.teardown(async () => {
    await Promise.all([stores.control.close(), stores.audit.close(), stores.memory.close()]);
    await stores.close();
  });
  await query(`INSERT INTO vp_audit.entries (hub, seq, at_ms, person_key, via_key, connection_key, tool_key, request_key, outcome, body, mac)
    SELECT 1, seq, 1000 + seq, 0, 0, 0, 0, 0, 0, '{}', '' FROM generate_series(1, 300) seq`);
  await query('ANALYZE vp_audit.entries');
  const search = { hub: 1, fromMs: 0, toMs: 10_000, startedOutcome: 9, limit: 100 };
  const pages: number[] = [];
  let before: { readonly atMs: number; readonly id: number } | undefined;
  do {
    const page = await stores.audit.read((sql) => searchAuditEntries(sql, { ...search, before }));
    pages.push(...page.rows.map(({ seq }) => seq));
    before = page.stopped;
  } while (before !== undefined);
  t.same(
    pages,
    Array.from({ length: 300 }, (_, index) => 300 - index),
  );
});
