/** Two PostgreSQL servers, a primary and its synchronous standby, each with a PgBouncer, that take turns. */
import pg from 'pg';
import { eventually } from '../../eventually.ts';
import { type PgBouncer, startPgBouncer } from '../../postgres/pgbouncer.ts';
import { type PostgresServer, startPostgres, startStandby } from '../../postgres/postgres-server.ts';
import type { TestEnd } from '../../postgres/server-process.ts';

export const databaseName = 'drill';
/** An ordinary role: the connections that PostgreSQL reserves for superusers stay for the drill itself. */
export const databaseUser = 'vp';

const maxConnections = 60;
const settings = {
  max_connections: maxConnections,
  superuser_reserved_connections: 5,
  wal_sender_timeout: '2s',
  wal_receiver_timeout: '2s',
  wal_retrieve_retry_interval: '200ms',
  restart_after_crash: 'on',
};
/** Every commit waits for the standby, also that of a server that was a standby before. */
const synchronous = { ...settings, synchronous_standby_names: '*' };

/** What is to be done at an end, last things first. */
export class Ending implements TestEnd {
  readonly #steps: (() => unknown)[] = [];

  teardown(step: () => unknown): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

export type DatabaseNode = { readonly server: PostgresServer; readonly bouncer: PgBouncer; readonly ending: Ending };

async function startNode(start: (ending: TestEnd) => Promise<PostgresServer>): Promise<DatabaseNode> {
  const ending = new Ending();
  const server = await start(ending);
  const bouncer = await startPgBouncer(ending, server, {
    poolMode: 'transaction',
    settings: { query_wait_timeout: 3, server_login_retry: 1, server_connect_timeout: 2, default_pool_size: 25 },
  });
  return { server, bouncer, ending };
}

export class DatabasePair {
  readonly nodes: [DatabaseNode, DatabaseNode];
  #primary: 0 | 1 = 0;

  private constructor(nodes: [DatabaseNode, DatabaseNode]) {
    this.nodes = nodes;
  }

  static async start(): Promise<DatabasePair> {
    const first = await startNode((ending) => startPostgres(ending, { settings }));
    await first.server.query(`CREATE ROLE ${databaseUser} LOGIN`);
    await first.server.query('CREATE ROLE hog LOGIN');
    await first.server.query(`CREATE DATABASE ${databaseName} OWNER ${databaseUser} TEMPLATE template0`);
    const second = await startNode((ending) => startStandby(ending, first.server, { settings: synchronous }));
    const pair = new DatabasePair([first, second]);
    await pair.waitForStandby();
    await first.server.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await first.server.query('SELECT pg_reload_conf()');
    return pair;
  }

  get primaryIndex(): 0 | 1 {
    return this.#primary;
  }

  get primary(): DatabaseNode {
    return this.nodes[this.#primary];
  }

  get standby(): DatabaseNode {
    return this.nodes[this.#primary === 0 ? 1 : 0];
  }

  async waitForStandby(): Promise<void> {
    await eventually(async () => {
      const rows = await this.primary.server.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'");
      return rows.length > 0;
    });
  }

  async restart(mode: 'fast' | 'immediate'): Promise<void> {
    await this.primary.server.stop(mode);
    await this.primary.server.start();
    await this.waitForStandby();
  }

  /** The primary dies, its standby takes over, and a new standby follows it at the place of the dead one. */
  async failOver(onReplaced: (index: 0 | 1, node: DatabaseNode) => void): Promise<void> {
    const dead = this.primary;
    const index = this.#primary;
    await dead.server.stop('immediate');
    await this.standby.server.query('SELECT pg_promote()');
    this.#primary = index === 0 ? 1 : 0;
    await dead.ending.run();
    const { server } = this.primary;
    const node = await startNode((ending) => startStandby(ending, server, { settings: synchronous }));
    this.nodes[index] = node;
    onReplaced(index, node);
    await this.waitForStandby();
  }

  /** While `work` runs, no commit can be replicated. */
  async withoutStandby(work: () => Promise<unknown>): Promise<void> {
    await this.standby.server.stop('fast');
    try {
      await work();
    } finally {
      await this.standby.server.start();
      await this.waitForStandby();
    }
  }

  /**
   * The standby stops, commits wait for it in vain, and then it takes over from the dead primary: what was committed there
   * alone is lost, and must not have been acknowledged.
   */
  async loseUnreplicated(durationMs: number, onReplaced: (index: 0 | 1, node: DatabaseNode) => void): Promise<void> {
    await this.standby.server.stop('fast');
    await new Promise((resolve) => setTimeout(resolve, durationMs));
    await this.primary.server.stop('immediate');
    await this.standby.server.start();
    await this.failOver(onReplaced);
  }

  /** Takes every connection that ordinary roles can have while `work` runs; returns how many these were. */
  async withoutConnections(work: () => Promise<unknown>): Promise<number> {
    const hogs: pg.Client[] = [];
    try {
      for (let failures = 0; failures < 20; ) {
        const hog = new pg.Client({
          ...{ host: this.primary.server.socketFolder, port: this.primary.server.port },
          ...{ user: 'hog', database: databaseName },
        });
        hog.on('error', () => undefined);
        const isOpen = await hog.connect().then(
          () => true,
          () => false,
        );
        if (isOpen) hogs.push(hog);
        else failures += 1;
      }
      await work();
    } finally {
      await Promise.all(hogs.map((hog) => hog.end().catch(() => undefined)));
    }
    return hogs.length;
  }

  /** Ends server processes of the drill's database; with SIGKILL, PostgreSQL starts all others again. */
  async endSessions(): Promise<void> {
    await this.primary.server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${databaseName}' AND usename = '${databaseUser}'`,
    );
  }

  async crashSession(): Promise<void> {
    const [row] = await this.primary.server.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = '${databaseName}' AND usename = '${databaseUser}' LIMIT 1`,
    );
    if (row) process.kill(Number(row.pid), 'SIGKILL');
    await eventually(async () => this.primary.server.query('SELECT 1').catch(() => undefined));
    await this.waitForStandby();
  }

  async close(): Promise<void> {
    for (const { ending } of this.nodes) await ending.run();
  }
}
