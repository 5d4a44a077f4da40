/** Brings the stores of a database to the newest version: each step in a transaction of its own, under one lock. */
import type pg from 'pg';
import { vpError } from '../../errors/vp-error.ts';
import type { StoreKind } from '../database.ts';
import { beginCommittedText, getSearchPath } from './begin.ts';
import { lockClass, storeLocks } from './locks.ts';
import { sharedSchemaKind } from './shared-schema.ts';
import { translateMigration } from './translate-schema.ts';

/** What limits statements of the role or the server; `transaction_timeout` is there since version 17. */
const unlimitedText = `SET LOCAL statement_timeout TO 0; SET LOCAL idle_in_transaction_session_timeout TO 0;
  SELECT set_config(name, '0', true) FROM pg_settings WHERE name = 'transaction_timeout'`;

/** Another replica that reads a table for longer than this makes the step fail, instead of stopping all others behind it. */
const lockTimeoutMs = 5_000;

/** The longest that a timer of Node.js can be: 24 days. */
const noLimit = { query_timeout: 2 ** 31 - 1 } as const;

export type PostgresStoreKind = Pick<StoreKind, 'applicationId' | 'migrations'> & {
  readonly name: 'control' | 'audit' | 'memory';
  /** By step, counted from 1: what PostgreSQL runs in its place. */
  readonly postgresSteps?: Readonly<Record<number, string>>;
};

type Step = { readonly name: string; readonly applicationId: number; readonly searchPath: string };

/** A version of -1: the schema has not been created. */
async function readVersion(client: pg.ClientBase, { name, applicationId }: Step, label: string): Promise<number> {
  // `to_regclass` would answer from what this connection knew before it waited for the lock.
  const tables = await client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'vp' AND tablename = 'stores'");
  if (tables.rows.length === 0) return -1;
  const { rows } = await client.query<{ application_id: string; version: number }>(
    'SELECT application_id, version FROM vp.stores WHERE name = $1',
    [name],
  );
  if (!rows[0]) return -1;
  if (Number(rows[0].application_id) !== applicationId) throw vpError('STORE_FOREIGN', { file: label });
  return rows[0].version;
}

async function inTransaction(client: pg.ClientBase, action: () => Promise<void>): Promise<void> {
  await client.query(`${beginCommittedText}; ${unlimitedText}; SET LOCAL lock_timeout TO ${lockTimeoutMs}; SET LOCAL client_min_messages TO warning;
    SELECT pg_advisory_xact_lock(${lockClass}, ${storeLocks.migration})`);
  try {
    await action();
    await client.query({ text: 'COMMIT', ...noLimit });
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** `texts[n]` brings from version n to n + 1. Throws STORE_FOREIGN, STORE_NEWER and PostgreSQL's errors. */
async function migrateSchema(client: pg.ClientBase, step: Step, texts: readonly string[], label: string) {
  const known = texts.length;
  const initial = await readVersion(client, step, label);
  if (initial > known) throw vpError('STORE_NEWER', { file: label, found: initial, known });
  for (let done = initial; done < known; ) {
    await inTransaction(client, async () => {
      // Another replica may have been faster.
      const version = Math.max(0, await readVersion(client, step, label));
      const text = texts[version];
      done = version + 1;
      if (text === undefined) return;
      await client.query({ text: `SET LOCAL search_path TO ${step.searchPath}; ${text}`, ...noLimit });
      await client.query(
        `INSERT INTO vp.stores VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET version = excluded.version`,
        [step.name, step.applicationId, done],
      );
    });
  }
}

/**
 * Throws STORE_FOREIGN, STORE_NEWER and PostgreSQL's errors. `label` names the database in errors. A step may take as long as its
 * tables are large, whatever the connection's limit of answers is.
 */
export async function migrateStore(client: pg.ClientBase, kind: PostgresStoreKind, label: string): Promise<void> {
  const shared = { name: 'shared', applicationId: sharedSchemaKind.applicationId, searchPath: 'vp' };
  await migrateSchema(client, shared, sharedSchemaKind.migrations, label);
  const { name, applicationId, migrations, postgresSteps } = kind;
  const texts = migrations.map((text, index) => postgresSteps?.[index + 1] ?? translateMigration(text));
  const schema = `CREATE SCHEMA IF NOT EXISTS vp_${name};`;
  const step = { name, applicationId, searchPath: getSearchPath(name) };
  await migrateSchema(client, step, [`${schema} ${texts[0] ?? ''}`, ...texts.slice(1)], label);
}
