import pg from 'pg';
import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { prepareStores } from '../../../src/store/postgres/prepare-stores.ts';
import { postgresStoreKinds } from '../../../src/store/postgres/stores.ts';
import { eventually } from '../../eventually.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

t.test('a step of a migration may take longer than any statement of a store', { skip }, async (t) => {
  const { name, url, query } = await createTestDatabase(t);
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await query(`ALTER DATABASE ${name} SET ${limit} TO 3000`);
  const kinds = postgresStoreKinds.map((kind) =>
    kind.name === 'memory' ? { ...kind, migrations: [...kind.migrations, 'SELECT pg_sleep(4);'] } : kind,
  );
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  await prepareStores({ settings, clock: systemClock, kinds, clientOptions: { query_timeout: 3000 }, label: name });
  const versions = kinds.map(({ name, migrations }) => ({ name, version: migrations.length }));
  t.same(
    await query("SELECT name, version FROM vp.stores WHERE name <> 'shared' ORDER BY name"),
    versions.sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
});

t.test(
  'a server that does not answer is given up, after the time limit and when the role is lost',
  { skip },
  async (t) => {
    const { name, url } = await createTestDatabase(t);
    const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
    const preparation = { settings, clock: systemClock, kinds: postgresStoreKinds, label: name };
    await prepareStores({ ...preparation, clientOptions: {} });
    // Waits like a connection whose packets vanish.
    const blocker = new pg.Client(url);
    await blocker.connect();
    t.teardown(() => blocker.end());
    await blocker.query('BEGIN; LOCK TABLE vp.stores IN ACCESS EXCLUSIVE MODE');
    await t.rejects(prepareStores({ ...preparation, clientOptions: { query_timeout: 200 } }), {
      code: /^STORE_DATABASE/,
    });
    const loss = new AbortController();
    const ended = prepareStores({ ...preparation, clientOptions: {}, signal: loss.signal });
    ended.catch(() => undefined);
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%vp.stores%'";
    await eventually(async () => (await blocker.query(waiting)).rowCount);
    loss.abort();
    await t.rejects(ended, { code: /^STORE_DATABASE/ });
  },
);
