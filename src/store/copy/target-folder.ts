/** A data folder into which stores are copied; none may be there. */
import { existsSync } from 'node:fs';
import { vpError } from '../../errors/vp-error.ts';
import { removeUnfinishedBackups } from '../backup-files.ts';
import type { FolderLock } from '../database.ts';
import { getStorePositionFile, lockFolder } from '../engine.ts';
import { assertNoRestorePlan } from '../restore-plan.ts';
import { backedUpStores, getStoreFile } from '../store-files.ts';

/**
 * Locks `folder`, which is created when absent, and removes what a killed copy left. Throws STORE_FOLDER_NOT_EMPTY, STORE_IN_USE,
 * RESTORE_INCOMPLETE.
 */
export function assertNoStore(folder: string, pid: number): FolderLock {
  const lock = lockFolder(folder, 'control', pid);
  try {
    assertNoRestorePlan(folder);
    const files = backedUpStores.map(({ name }) => getStoreFile(folder, name));
    removeUnfinishedBackups(files, pid);
    for (const file of files) {
      const remains = [file, `${file}-wal`, getStorePositionFile(file)].find((path) => existsSync(path));
      if (remains !== undefined) throw vpError('STORE_FOLDER_NOT_EMPTY', { folder, file: remains });
    }
    return lock;
  } catch (error) {
    lock.release();
    throw error;
  }
}
