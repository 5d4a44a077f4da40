/** Restores a backup into an empty PostgreSQL database: all of its stores or none. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyFilesIntoDatabase, type StoreCopyProgress, type StoreCopyReport } from '../store/copy/move-stores.ts';
import { openSourceFiles } from '../store/copy/source-folder.ts';
import { openDatabase, prepareReplacement } from '../store/engine.ts';
import type { PostgresSettings } from '../store/postgres/connection-settings.ts';
import { createPrivateFolder } from '../store/private-files.ts';
import { backedUpStores, getStoreFile } from '../store/store-files.ts';
import { findBackupFiles, type RestoreOptions, settleCopy } from './restore.ts';

export type RestoreIntoDatabaseOptions = RestoreOptions & {
  readonly settings: PostgresSettings;
  readonly onCopied: StoreCopyProgress;
};

export type DatabaseRestoreResult = {
  readonly ended: number;
  readonly cancelled: number;
  readonly stores: readonly StoreCopyReport[];
};

/**
 * A private copy of the backup is brought to this version and settled, and then copied. `folder` has the master key, and the
 * private copy meanwhile. Throws BACKUP_*, STORE_DATABASE_NOT_EMPTY, STORE_DATABASE_IN_USE, STORE_*; nothing was changed then.
 */
export async function restoreIntoDatabase(options: RestoreIntoDatabaseOptions): Promise<DatabaseRestoreResult> {
  const { folder, clock, pid, settings, onCopied } = options;
  const files = await findBackupFiles(options);
  const staging = join(folder, `restore-${pid}`);
  rmSync(staging, { recursive: true, force: true });
  createPrivateFolder(staging);
  try {
    let counts = { ended: 0, cancelled: 0 };
    const copies = new Map(
      files.map(({ name, copy }) => [name, prepareReplacement(copy, getStoreFile(staging, name))]),
    );
    for (const { name, kind } of backedUpStores) {
      const file = copies.get(name);
      if (file === undefined) continue;
      if (name === 'control') counts = await settleCopy(file, options);
      else await openDatabase({ file, createKind: kind }).close();
    }
    const source = openSourceFiles((name) => copies.get(name) ?? getStoreFile(staging, name));
    try {
      // As for files, the audit is not verified: what a backup has is restored, and `vp audit verify` judges it.
      const verifyAudit = async (): Promise<void> => undefined;
      const stores = await copyFilesIntoDatabase(source, { settings, clock, verifyAudit, onProgress: onCopied });
      return { ...counts, stores };
    } finally {
      source.close();
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
