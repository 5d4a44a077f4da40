/** A data folder with content in every store, for tests that copy it. */
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { openControl } from '../../../src/control/open-control.ts';
import { systemRandom } from '../../../src/environment/random.ts';
import { openAudit } from '../../../src/hub/audit/audit-log.ts';
import { openMemory } from '../../../src/memory/memory-service.ts';
import { insertTick } from '../../../src/store/control/schedules/ticks.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { createScenarioText } from '../../control/report-fixture.ts';
import { fakeClock } from '../../environment/fake-clock.ts';
import { createEntry, createPrincipal, masterKey } from '../../hub/audit/test-audit.ts';

export const variables = { VP_MASTER_KEY: Buffer.from(masterKey.bytes).toString('base64') };
export const unusualText = 'a\0b\u{10FFFE}0\tc\\d\n"é"';

export function insertRevision(sql: Sql, text: string, digest: string): number {
  return sql.insert(
    `INSERT INTO revisions (instance_id, scenario_id, title, layer, tags, text, sha256, created_at_ms, created_by)
     VALUES ('app', 'odd', '', '', '', ?, ?, 1, 'owner')`,
    text,
    digest,
  );
}

/** A data folder with runs, an audit and memories. */
export async function fillFolder(folder: string): Promise<void> {
  const clock = fakeClock();
  const random = systemRandom;
  const onError = (error: unknown): void => {
    throw error;
  };
  const control = await openControl({ folder, clock, random, pid: 1, onError, masterKey: variables.VP_MASTER_KEY });
  await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
  await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
  await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'ana' });
  await control.schedules.create('app', { schedule_id: 'deploy', on: 'webhook' }, { name: 'ana' });
  await control.schedules.create('app', { schedule_id: 'nightly', cron: '0 2 * * *' }, { name: 'ana' });
  const view = { page: 'runs', name: 'Smoke', filters: { find: 'tag:smoke "é"' } } as const;
  await control.views.create('app', view, { name: 'ana' });
  await control.views.create('app', { ...view, name: 'Mine', shared: false }, { name: 'ana', personId: 'ana' });
  await control.database.write((sql) => {
    const tick = { tick: 'webhook msg-1', dueAtMs: 1, handledAtMs: 2, outcome: 'failed', note: null } as const;
    insertTick(sql, { instance: 'app', id: 'deploy' }, tick);
    sql.execute('INSERT INTO meta (name, value) VALUES (?, ?)', 'odd', unusualText);
    for (let count = 1; count <= 300; count += 1) insertRevision(sql, unusualText, `digest ${count}`);
  });
  await control.close();
  const audit = await openAudit({ folder, masterKey, clock, random, onError, settings: { minFreeBytes: 0 } });
  for (let index = 0; index < 50; index += 1) await audit.record(createEntry());
  await audit.close();
  const memory = openMemory({ folder, clock, random });
  await memory.remember(createPrincipal(), 'user', { text: 'tea is in the left cupboard' });
  await memory.close();
}

/** Every row of every table but the counters, as text. */
export function dump(folder: string): string {
  const lines: string[] = [];
  for (const name of ['control', 'audit', 'memory']) {
    const sqlite = new Sqlite(join(folder, `${name}.db`), { readonly: true });
    const list =
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY 1";
    for (const table of sqlite.prepare<[], string>(list).pluck().all())
      for (const row of sqlite.prepare(`SELECT * FROM "${table}"`).all())
        lines.push(`${name}.${table} ${JSON.stringify(row)}`);
    sqlite.close();
  }
  return lines
    .filter((line) => !/store_position|control_position|"last_seq"|"last_run_ms"/.test(line))
    .sort()
    .join('\n');
}
