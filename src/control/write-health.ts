/** Whether the control plane's store can be written, by what its own writes say. */
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { VpError, vpError } from '../errors/vp-error.ts';
import { discardReadinessBallast } from '../store/control/control-store.ts';
import type { Database } from '../store/database.ts';

/** `database` is the observed one. `assertWritable` throws STORE_DISK_FULL and other STORE_*. */
export type ObservedWrites = { readonly database: Database; assertWritable(): Promise<void> };

/** With less than this, the next run may not fit, although a write that needs no new page succeeds. */
const minFreeBytes = 262_144;

function isStoreFailure(error: unknown): boolean {
  return error instanceof VpError && error.code.startsWith('STORE_') && error.code !== 'STORE_CLOSED';
}

export function observeWrites(database: Database): ObservedWrites {
  let hasFailed = false;

  const write: Database['write'] = async (operation) => {
    try {
      return await database.write(operation);
    } catch (error) {
      hasFailed ||= isStoreFailure(error);
      throw error;
    }
  };

  return {
    database: { ...database, write },
    async assertWritable() {
      // Fails where the platform or the file system cannot tell: then the write below decides.
      const disk = await statfs(dirname(database.file)).catch(() => undefined);
      if (disk && disk.bavail * disk.bsize < minFreeBytes) throw vpError('STORE_DISK_FULL', { file: database.file });
      if (!hasFailed) return;
      // A small write may fit into pages that are free: the failed one did not.
      await database.write((sql) => discardReadinessBallast(sql, minFreeBytes));
      hasFailed = false;
    },
  };
}
