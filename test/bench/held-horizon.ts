/**
 * Two days of production in minutes, on PostgreSQL, while something holds its horizon, so that no dead row can be removed: a long
 * `pg_dump`, an idle transaction and a stale replication slot, one after another, each for as many hours. Prints sizes and times before,
 * during and after; what the load is, is in `horizon/two-day-load.ts`.
 *
 *     node --import ./test/tsx-hook.mjs test/bench/held-horizon.ts --hours 48
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { openControl } from '../../src/control/open-control.ts';
import { systemClock } from '../../src/environment/clock.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { openAudit } from '../../src/hub/audit/audit-log.ts';
import { renewTerm, takeOver } from '../../src/store/postgres/active-term.ts';
import { readPostgresSettings } from '../../src/store/postgres/connection-settings.ts';
import { prepareElection, readElection } from '../../src/store/postgres/election.ts';
import { listLiveReplicas, saveHeartbeat } from '../../src/store/postgres/heartbeats.ts';
import { openPostgresStores } from '../../src/store/postgres/stores.ts';
import { startPostgres } from '../postgres/postgres-server.ts';
import { limitless } from './audit.ts';
import { holderKinds } from './horizon/holders.ts';
import { countLoad, createEnvironments, type LoadCounts, playLoad } from './horizon/two-day-load.ts';
import { quantile, timed } from './measure.ts';

const { values } = parseArgs({
  options: {
    /** Of production, for each of the three. */
    hours: { type: 'string', default: '16' },
    /** In so many parts, so that one sees what grows. */
    parts: { type: 'string', default: '4' },
    /** Before the first and after each of them. */
    settled: { type: 'string', default: '2' },
  },
});
const [hours, parts, settledHours] = [Number(values.hours), Number(values.parts), Number(values.settled)];
const electionSamples = 20;
const database = 'production';
const ageMs = 0;
const replica = { id: 'one', address: 'http://127.0.0.1:1', version: '1' };

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const steps: (() => unknown)[] = [];
const folder = mkdtempSync(join(tmpdir(), 'vp-horizon-'));
steps.push(() => rmSync(folder, { recursive: true, force: true }));
const server = await startPostgres(
  { teardown: (end) => steps.push(end) },
  { settings: { shared_buffers: '256MB', max_wal_size: '4GB', autovacuum_naptime: '10s' } },
);
await server.query(`CREATE DATABASE ${database}`);
const url = server.getUrl(database);
const settings = readPostgresSettings({ kind: 'variable', name: 'VP_DATABASE', url }, {});
const client = new pg.Client(url);
await client.connect();
await prepareElection(client);
await saveHeartbeat(client, replica, ageMs);
const state = await readElection(client);
await takeOver(client, replica, state, 3_600_000);
const { epoch } = await readElection(client);
const stores = await openPostgresStores({ settings, clock: systemClock });
const onError = (error: unknown): void => print(String(error));
const control = await openControl({
  ...{ folder, clock: systemClock, random: systemRandom, pid: process.pid, store: stores.control, onError },
});
const audit = await openAudit({
  ...{ folder, database: stores.audit, clock: systemClock, random: systemRandom, settings: limitless, onError },
  masterKey: { id: 0, bytes: systemRandom.bytes(32) },
});
await createEnvironments(control);

/** Milliseconds of what a replica does twice a second (renew), four times (look) and once (say that it lives). */
async function measureElection(): Promise<string> {
  const term = { epoch, sessionPid: undefined };
  const work: Readonly<Record<string, () => Promise<unknown>>> = {
    renewal: () => renewTerm(client, replica, term),
    look: () => readElection(client),
    heartbeat: async () => {
      await saveHeartbeat(client, replica, ageMs);
      await listLiveReplicas(client, 5_000);
    },
  };
  const texts: string[] = [];
  for (const [name, action] of Object.entries(work)) {
    const samples: number[] = [];
    for (let count = 0; count < electionSamples; count += 1) samples.push(await timed(action));
    texts.push(`${name} ${quantile(samples, 0.5).toFixed(1)}`);
  }
  return texts.join(', ');
}

async function listSizes(): Promise<string> {
  const rows = await server.query(
    `SELECT relname, pg_total_relation_size(relid) AS bytes, n_dead_tup AS dead
       FROM pg_stat_user_tables WHERE schemaname LIKE 'vp%' ORDER BY 2 DESC LIMIT 12`,
    database,
  );
  const [wal] = await server.query('SELECT sum(size) AS bytes FROM pg_ls_waldir()');
  const mib = (bytes: unknown): string => `${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`;
  const tables = rows.map(({ relname, bytes, dead }) => `${relname} ${mib(bytes)} (${dead} dead)`);
  return `${tables.join(', ')}; WAL ${mib(wal?.bytes)}`;
}

async function playPart(name: string, counts: LoadCounts): Promise<void> {
  const startMs = performance.now();
  const times = await playLoad({ control, audit, client, replica, epoch }, counts);
  const seconds = (performance.now() - startMs) / 1000;
  const format = (samples: readonly number[]): string =>
    `${quantile(samples, 0.5).toFixed(1)}/${quantile(samples, 0.99).toFixed(1)}`;
  print(
    `${name}: ${counts.runs} runs, ${counts.calls} calls in ${seconds.toFixed(0)} s; p50/p99 in ms: write ${format(times.write)}, newest page ${format(times.page)}, call ${format(times.call)}; p50: ${await measureElection()}`,
  );
}

async function settle(name: string): Promise<void> {
  await server.query('VACUUM (ANALYZE)', database);
  await playPart(name, countLoad(settledHours));
  print(`  ${await listSizes()}`);
}

try {
  await settle('before');
  for (const { name, start } of holderKinds) {
    const holder = await start(server, database);
    for (let part = 1; part <= parts; part += 1)
      await playPart(`${name}, ${((hours * part) / parts).toFixed(1)} h`, countLoad(hours / parts));
    print(`  ${await listSizes()}`);
    await holder.release();
    await settle(`after ${name}`);
  }
} finally {
  await control.close();
  await audit.close();
  await stores.memory.close();
  await stores.close();
  await client.end();
  for (const step of steps.reverse()) await step();
}
