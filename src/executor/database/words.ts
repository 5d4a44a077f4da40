import type { DatabaseTarget } from '../../project/project-config.ts';

/** Where the database is, for people: `db:5432`. */
export function addressOfDatabase({ host, port }: Pick<DatabaseTarget, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A name as it stands in SQL. */
export function quotedName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** `limit` in MiB where it is large, for people. */
export function sizeWords(limit: number): string {
  const mebibytes = limit / (1024 * 1024);
  return mebibytes >= 1 ? `${Math.round(mebibytes)} MiB` : `${limit} bytes`;
}
