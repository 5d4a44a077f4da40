import type { DatabaseTarget } from '../../project/project-config.ts';

/** The address of the database for messages: `db:5432`. */
export function formatDatabaseAddress({ host, port }: Pick<DatabaseTarget, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A name as written in SQL. */
export function quoteName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** The policy with which a user sees every row of a table. */
export function suggestPolicy(table: string, user: string): string {
  return `CREATE POLICY vp_reads_all ON ${table} FOR SELECT TO ${quoteName(user)} USING (true)`;
}

/** A byte limit for messages, in MiB when it is large. */
export function formatByteLimit(limit: number): string {
  const mebibytes = limit / (1024 * 1024);
  return mebibytes >= 1 ? `${Math.round(mebibytes)} MiB` : `${limit} bytes`;
}
