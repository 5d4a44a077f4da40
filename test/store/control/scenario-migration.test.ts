/** A store of the version before scenarios could be renamed and restored is migrated with its data. */
import { join } from 'node:path';
import t from 'tap';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { scenarioLifecycleMigration } from '../../../src/store/control/schema/scenarios.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { openTestControl } from '../../control/control-fixture.ts';
import { createScenarioText } from '../../control/report-fixture.ts';

const ana = { name: 'ana' };

t.test('scenarios of an older store are listed, restored and renamed', async (t) => {
  const folder = t.testdir();
  const index = controlStoreKind.migrations.indexOf(scenarioLifecycleMigration);
  const createKind = { ...controlStoreKind, migrations: controlStoreKind.migrations.slice(0, index) };
  const old = openDatabase({ file: join(folder, 'control.db'), createKind });
  const texts = { 'RT-one': createScenarioText('RT-one'), 'RT-gone': createScenarioText('RT-gone') };
  await old.write((sql) => {
    sql.run(
      "INSERT INTO instances (id, tier, created_at_ms, created_by, key_hash, seq) VALUES ('app', 'compose', 1, 'x', 'h', 1)",
    );
    for (const [scenario, text] of Object.entries(texts)) {
      const id = sql.insert(
        `INSERT INTO revisions (instance_id, scenario_id, revision, title, layer, tags, text, sha256, created_at_ms, created_by)
          VALUES ('app', ?, 1, 'GET document', 'HTTP Ingestion', '[]', ?, 'sum', 1000, 'ana')`,
        ...[scenario, text],
      );
      const deleted = scenario === 'RT-gone' ? 1 : 0;
      sql.run("INSERT INTO scenarios VALUES ('app', ?, ?, 1, ?, 2)", scenario, id, deleted);
    }
  });
  await old.close();

  const { control } = await openTestControl(t, { folder });
  const { catalogue } = control;
  t.match((await catalogue.list('app', { limit: 9 })).items, [{ scenario_id: 'RT-one', revision: 1 }]);
  t.match((await catalogue.listDeleted('app', { limit: 9 })).items, [
    { scenario_id: 'RT-gone', revision: 1, deleted_at: null, deleted_by: null },
  ]);
  await t.rejects(catalogue.get('app', 'RT-gone'), { code: 'SCENARIO_DELETED', message: /at revision 1$/ });
  t.match(await catalogue.restore('app', 'RT-gone', { revision: 1 }, ana), { revision: 2, text: texts['RT-gone'] });
  t.match(await catalogue.rename('app', 'RT-one', { new_id: 'RT-two' }, ana), { scenario_id: 'RT-two', revision: 2 });
});
