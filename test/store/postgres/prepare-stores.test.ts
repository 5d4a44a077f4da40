import t from 'tap';
import { systemClock } from '../../../src/environment/clock.ts';
import { readPostgresSettings } from '../../../src/store/postgres/connection-settings.ts';
import { prepareStores } from '../../../src/store/postgres/prepare-stores.ts';
import { postgresStoreKinds } from '../../../src/store/postgres/stores.ts';
import { skipWithoutPostgres as skip } from '../../postgres/programs.ts';
import { createTestDatabase } from '../../postgres/test-database.ts';

t.test('a step of a migration may take longer than any statement of a store', { skip }, async (t) => {
  const { name, url, query } = await createTestDatabase(t);
  for (const limit of ['statement_timeout', 'idle_in_transaction_session_timeout'])
    await query(`ALTER DATABASE ${name} SET ${limit} TO 200`);
  const kinds = postgresStoreKinds.map((kind) =>
    kind.name === 'memory' ? { ...kind, migrations: [...kind.migrations, 'SELECT pg_sleep(0.6);'] } : kind,
  );
  const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
  await prepareStores({ settings, clock: systemClock, kinds, clientOptions: { query_timeout: 200 }, label: name });
  const versions = kinds.map(({ name, migrations }) => ({ name, version: migrations.length }));
  t.same(
    await query("SELECT name, version FROM vp.stores WHERE name <> 'shared' ORDER BY name"),
    versions.sort((a, b) => (a.name < b.name ? -1 : 1)),
  );
});
