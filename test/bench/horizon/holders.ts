/**
 * What holds the horizon of a PostgreSQL server, so that no row that was replaced since can be removed: each in the way in which it
 * happens to teams.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { eventually } from '../../eventually.ts';
import { type PostgresServer, startStandby } from '../../postgres/postgres-server.ts';
import { getProgram, serverEnvironment } from '../../postgres/programs.ts';

/** `release` ends it, and leaves nothing behind that holds. */
export type Holder = { release(): Promise<void> };

export type HolderKind = {
  readonly name: string;
  readonly start: (server: PostgresServer, database: string) => Promise<Holder>;
};

/** A dump to somewhere that takes nothing more: its snapshot is as old as its start. */
async function startDump(server: PostgresServer, database: string): Promise<Holder> {
  const args = ['--host', server.socketFolder, '--port', String(server.port), '--username', 'postgres', database];
  const dump = spawn(getProgram('pg_dump'), args, { env: serverEnvironment, stdio: ['ignore', 'pipe', 'ignore'] });
  await eventually(async () => await hasSnapshot(server, 'pg_dump'));
  return { release: () => endProcess(dump) };
}

async function endProcess(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close');
  child.stdout?.resume();
  child.kill('SIGTERM');
  await ended;
}

async function hasSnapshot(server: PostgresServer, application: string): Promise<boolean> {
  const text = `SELECT 1 FROM pg_stat_activity WHERE application_name = '${application}' AND backend_xmin IS NOT NULL`;
  return (await server.query(text)).length > 0;
}

/** An application or a person who has read something, and has gone. */
async function startIdleTransaction(server: PostgresServer, database: string): Promise<Holder> {
  const client = new pg.Client(server.getUrl(database));
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM vp_control.runs');
  return {
    async release() {
      await client.query('COMMIT');
      await client.end();
    },
  };
}

const slot = 'stale';

/** A standby that is gone for good: its slot has the horizon of its last query, and the log since then. */
async function startStaleSlot(server: PostgresServer, database: string): Promise<Holder> {
  await server.query(`SELECT pg_create_physical_replication_slot('${slot}')`);
  const steps: (() => unknown)[] = [];
  const standby = await startStandby({ teardown: (step) => steps.push(step) }, server, {
    settings: { hot_standby_feedback: 'on', primary_slot_name: slot, wal_receiver_status_interval: '1s' },
  });
  const reader = new pg.Client(standby.getUrl(database));
  reader.on('error', () => undefined);
  await reader.connect();
  await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
  const text = `SELECT 1 FROM pg_replication_slots WHERE slot_name = '${slot}' AND xmin IS NOT NULL`;
  await eventually(async () => (await server.query(text)).length > 0, { timeoutMs: 60_000 });
  for (const step of steps.reverse()) await step();
  await reader.end().catch(() => undefined);
  return { release: async () => void (await server.query(`SELECT pg_drop_replication_slot('${slot}')`)) };
}

export const holderKinds: readonly HolderKind[] = [
  { name: 'a long pg_dump', start: startDump },
  { name: 'an idle transaction', start: startIdleTransaction },
  { name: 'a stale replication slot', start: startStaleSlot },
];
