import type { VpError } from '../../errors/vp-error.ts';
import type { AuditDatabase } from '../audit/audit-database.ts';
import { countAuditRows, readAuditRowBytes, type SendSizeQuery } from './audit-size.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { PostgresDatabase } from './database.ts';
import { isUsableAfter, toStoreError } from './errors.ts';

/** The size that may be out of date, and the size of a row, are asked for at most this often. */
const sizeValidMs = 10_000;

/**
 * The audit on PostgreSQL. Every commit waits for the server's disk (`synchronous_commit`), so that all writes are durable;
 * free space and returning it are the server's own business.
 */
export function createPostgresAuditDatabase(
  database: PostgresDatabase,
  pool: ConnectionPool,
  describe: (error: unknown) => VpError,
): AuditDatabase {
  const send: SendSizeQuery = async (text) => {
    try {
      return await pool.with(({ client }) => client.query(text), isUsableAfter);
    } catch (error) {
      throw toStoreError(error, describe);
    }
  };
  const rowBytes = createCachedReader(() => readAuditRowBytes(send));
  const usedBytes = createCachedReader(async () => Math.round((await countAuditRows(send)) * (await rowBytes.get())));
  return {
    file: database.file,
    write: database.write,
    read: database.read,
    writeDurably: database.write,
    // Both are in one database.
    noteControlCommits: async () => undefined,
    getUsedBytes: usedBytes.get,
    measureUsedBytes: usedBytes.refresh,
    truncateLog: async () => undefined,
    shrink: () => undefined,
    getFreeDiskBytes: async () => Number.POSITIVE_INFINITY,
    close: database.close,
  };
}

/** `get` reads at most every ten seconds, `refresh` at once. */
function createCachedReader(read: () => Promise<number>) {
  let value = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const refresh = async (): Promise<number> => {
    value = await read();
    readAtMs = performance.now();
    return value;
  };
  const get = async (): Promise<number> => (performance.now() - readAtMs < sizeValidMs ? value : await refresh());
  return { get, refresh };
}
