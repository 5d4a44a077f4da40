/**
 * `vp move` of 1,000,000 runs and 1,000,000 audit rows into PostgreSQL and back, with the control plane's own code:
 *
 *     node --import ./test/tsx-hook.mjs test/bench/move-stores.ts --rows 1000000
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { createChainKeys, getAuditFile, openAudit, unsealAuditKey } from '../../src/hub/audit/audit-log.ts';
import { loadMasterKey } from '../../src/secrets/master-key.ts';
import { readAuditMeta } from '../../src/store/audit/chains.ts';
import { openAuditReader } from '../../src/store/engine.ts';
import { newJournal } from '../control/leases/lease-fixture.ts';
import { createScenarioText, createTestReport } from '../control/report-fixture.ts';
import { startPostgres } from '../postgres/postgres-server.ts';
import { limitless } from './audit.ts';
import { fillAudit } from './audit-rows.ts';
import { fillStore } from './fill-store.ts';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '1000000' } } });
const rows = Number(values.rows);
const steps: (() => unknown)[] = [];
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const parent = mkdtempSync(join(tmpdir(), 'vp-move-'));
steps.push(() => rmSync(parent, { recursive: true, force: true }));
const folder = join(parent, 'data');
mkdirSync(folder, { mode: 0o700 });

const onError = (error: unknown): void => print(String(error));
const control = await openControl({ folder, clock: systemClock, random: systemRandom, pid: process.pid, onError });
await control.instances.create({ instance_id: 'app' }, { name: 'owner' });
await control.catalogue.write('app', 'RT-GET-document', { text: createScenarioText() }, { name: 'owner' });
const port = control.executorPort('app');
const { challenge } = await port.challenge({ start_id: 'one' });
const { epoch } = await port.hello({
  ...{ protocol: 1, executor_version: '0.5.0', store_id: 'one', target: 'http://app:3100', started: [], finished: [] },
  ...{ start: { id: 'one', challenge }, journal: newJournal },
});
await control.runs.request('app', { scenarios: [{ id: 'RT-GET-document' }] }, { name: 'owner' });
const { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
if (!lease) throw new Error('no run was leased');
const { run_id, fence } = lease;
const report = createTestReport(lease, 'app');
await port.complete({ epoch, run_id, fence, more: false, report, journal: newJournal });
await control.close();
fillStore(folder, 'app', rows);

const masterKey = loadMasterKey(
  { file: join(folder, 'master.key'), variable: undefined, mayCreate: false },
  systemRandom,
);
if (!masterKey) throw new Error('the folder has no master key');
const options = { folder, masterKey, clock: systemClock, random: systemRandom, settings: limitless, onError };
await (await openAudit(options)).close();
const reader = openAuditReader(getAuditFile(folder));
const sealed = reader.read((sql) => readAuditMeta(sql, 'key'));
reader.close();
if (!sealed) throw new Error('the audit has no key');
fillAudit(getAuditFile(folder), rows, createChainKeys(unsealAuditKey(masterKey, sealed, folder)), systemRandom);
await (await openAudit(options)).close();
print('filled');

const server = await startPostgres({ teardown: (end) => steps.push(end) }, { isOnDisk: true });
await server.query('CREATE DATABASE moved');
const url = server.getUrl('moved');
const back = join(parent, 'back');
mkdirSync(back, { mode: 0o700 });
cpSync(join(folder, 'master.key'), join(back, 'master.key'));
for (const [direction, data] of [
  ['--to', folder],
  ['--from', back],
] as const) {
  const startMs = performance.now();
  const { status, stdout, stderr } = spawnSync(resolve('dist/vp'), ['move', direction, url, '--data', data], {
    encoding: 'utf8',
  });
  print(
    `${direction}: exit ${status}, ${((performance.now() - startMs) / 1000).toFixed(1)} s\n${stdout}${stderr.slice(-400)}`,
  );
}
for (const step of steps.reverse()) await step();
