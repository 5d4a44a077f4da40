/**
 * A store on PostgreSQL while something holds its horizon, so that no dead row can be removed: an idle transaction with a snapshot (what a
 * long `pg_dump` is to the server) and a replication slot that nobody reads. Prints sizes and times before, during and after.
 *
 *     node --import ./test/tsx-hook.mjs test/bench/held-horizon.ts --runs 100000 --settled 10000 --part 10000
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { readPostgresSettings } from '../../src/store/postgres/connection-settings.ts';
import { openPostgresStores } from '../../src/store/postgres/stores.ts';
import { newJournal } from '../control/leases/lease-fixture.ts';
import { createScenarioText, createTestReport } from '../control/report-fixture.ts';
import { startPostgres } from '../postgres/postgres-server.ts';
import { quantile } from './measure.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    settled: { type: 'string', default: '10000' },
    part: { type: 'string', default: '10000' },
    instances: { type: 'string', default: '16' },
  },
});
const heldRuns = Number(values.runs);
const settledRuns = Number(values.settled);
const partRuns = Number(values.part);
const instances = Array.from({ length: Number(values.instances) }, (_, index) => `app-${index}`);
const requested = 20;
const scenario = 'RT-GET-document';
const owner = { name: 'owner' };

const steps: (() => unknown)[] = [];
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'vp-horizon-'));
steps.push(() => rmSync(folder, { recursive: true, force: true }));
const server = await startPostgres(
  { teardown: (end) => steps.push(end) },
  { settings: { shared_buffers: '256MB', max_wal_size: '4GB', autovacuum_naptime: '10s' } },
);
const url = server.getUrl('postgres');
const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
const stores = await openPostgresStores({ settings, clock: systemClock });
const control = await openControl({
  ...{ folder, clock: systemClock, random: systemRandom, pid: process.pid, store: stores.control },
  onError: (error) => print(String(error)),
});
for (const id of instances) {
  await control.instances.create({ instance_id: id }, owner);
  await control.catalogue.write(id, scenario, { text: createScenarioText() }, owner);
}

/** Requests and ends `count` runs on one instance; adds the time of each write. */
async function work(instance: string, count: number, timesMs: number[]): Promise<void> {
  const timed = async <T>(call: () => Promise<T>): Promise<T> => {
    const startMs = performance.now();
    const value = await call();
    timesMs.push(performance.now() - startMs);
    return value;
  };
  const port = control.executorPort(instance);
  const id = `${instance}-${Date.now()}`;
  const { challenge } = await port.challenge({ start_id: id });
  const start = { id, challenge };
  const hello = { protocol: 1, executor_version: '0.5.0', store_id: instance, target: 'http://app:3100' } as const;
  const { epoch } = await port.hello({ ...hello, started: [], finished: [], start, journal: newJournal });
  for (let done = 0; done < count; ) {
    const scenarios = Array.from({ length: requested }, () => ({ id: scenario }));
    await timed(() => control.runs.request(instance, { scenarios }, owner));
    let { lease } = await port.poll({ epoch, in_hand: null, wait_ms: 0 });
    while (lease) {
      const { run_id, fence } = lease;
      const report = createTestReport(lease, instance);
      const ended = { epoch, run_id, fence, more: true, report, journal: newJournal };
      ({ lease } = await timed(() => port.complete(ended)));
      done += 1;
    }
  }
}

async function listSizes(): Promise<string> {
  const rows = await server.query(`SELECT relname, pg_total_relation_size(relid) AS bytes, n_dead_tup AS dead
    FROM pg_stat_user_tables WHERE schemaname LIKE 'vp%' ORDER BY 2 DESC LIMIT 9`);
  const [wal] = await server.query('SELECT sum(size) AS bytes FROM pg_ls_waldir()');
  const mib = (bytes: unknown): string => `${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`;
  const tables = rows.map(({ relname, bytes, dead }) => `${relname} ${mib(bytes)} (${dead} dead)`);
  return `${tables.join(', ')}; WAL ${mib(wal?.bytes)}`;
}

async function phase(name: string, runs: number): Promise<void> {
  const part = Math.ceil(Math.min(runs, partRuns) / instances.length);
  for (let done = 0; done < runs; done += part * instances.length) {
    const timesMs: number[] = [];
    const startMs = performance.now();
    await Promise.all(instances.map((instance) => work(instance, part, timesMs)));
    const rate = (part * instances.length * 1000) / (performance.now() - startMs);
    const pageMs = performance.now();
    await control.runs.list({ instance: instances[0] }, { limit: 50 });
    const page = performance.now() - pageMs;
    print(
      `${name} ${done + part * instances.length} runs: ${rate.toFixed(0)} runs/s, write p50 ${quantile(timesMs, 0.5).toFixed(1)} ms, p99 ${quantile(timesMs, 0.99).toFixed(1)} ms, latest page ${page.toFixed(1)} ms`,
    );
  }
  print(`${name}: ${await listSizes()}`);
}

await phase('before', settledRuns);
const holder = new pg.Client(url);
await holder.connect();
await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM vp_control.runs');
await server.query("SELECT pg_create_physical_replication_slot('stale', true)");
await phase('held', heldRuns);
await holder.query('COMMIT');
await holder.end();
await server.query("SELECT pg_drop_replication_slot('stale')");
await server.query('CHECKPOINT');
await server.query('VACUUM');
await phase('after', settledRuns);
await control.close();
await stores.audit.close();
await stores.memory.close();
await stores.close();
for (const step of steps.reverse()) await step();
