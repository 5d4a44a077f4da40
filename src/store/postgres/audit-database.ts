import type { AuditDatabase } from '../audit/audit-database.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { PostgresDatabase } from './database.ts';
import { isUsableAfter } from './errors.ts';

export const auditSizeText = `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
  WHERE relnamespace = 'vp_audit'::regnamespace AND relkind = 'r'`;

/** The size is asked for at most this often. */
const sizeValidMs = 10_000;

/**
 * The audit on PostgreSQL. Every commit waits for the server's disk (`synchronous_commit`), so that all writes are durable;
 * free space and returning it are the server's own business.
 */
export function createPostgresAuditDatabase(database: PostgresDatabase, pool: ConnectionPool): AuditDatabase {
  let usedBytes = 0;
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  return {
    file: database.file,
    write: database.write,
    read: database.read,
    writeDurably: database.write,
    // Both are in one database.
    noteControlCommits: async () => undefined,
    async getUsedBytes() {
      if (performance.now() - measuredAtMs < sizeValidMs) return usedBytes;
      const { rows } = await pool.with(({ client }) => client.query<{ bytes: number }>(auditSizeText), isUsableAfter);
      usedBytes = rows[0]?.bytes ?? 0;
      measuredAtMs = performance.now();
      return usedBytes;
    },
    truncateLog: () => undefined,
    shrink: () => undefined,
    getFreeDiskBytes: async () => Number.POSITIVE_INFINITY,
    close: database.close,
  };
}
