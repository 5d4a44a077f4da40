/** Restores a backup into a data folder. */

import { existsSync } from 'node:fs';
import type { Clock } from '../environment/clock.ts';
import { formatError, vpError } from '../errors/vp-error.ts';
import { formatRunId } from '../run/run-id.ts';
import { type BackupStoreName, backedUpStores, getBackupFile, getStoreFile } from '../store/backup.ts';
import { openControlDatabase } from '../store/control/control-store.ts';
import { loadCounters } from '../store/control/counters.ts';
import { settleRestoredStore } from '../store/control/settle-restored.ts';
import { findCopyProblem, lockFolder, prepareReplacement, removeStore, replaceStore } from '../store/engine.ts';
import { createPrivateFolder } from '../store/private-files.ts';

/** `replaced` is the new path of the store that was there before. */
export type RestoredStore = { readonly store: BackupStoreName; readonly replaced: string | undefined };

/** The numbers of runs ended and cancelled, and the restored stores. */
export type RestoreResult = {
  readonly ended: number;
  readonly cancelled: number;
  readonly stores: readonly RestoredStore[];
};

async function settleCopy(file: string, nowMs: number) {
  const database = openControlDatabase(file);
  try {
    const counters = await database.read(loadCounters);
    const failure = formatError('RUN_EXECUTOR_LOST', { instance: 'this run', reason: 'control plane restored' });
    return await database.write((sql) => settleRestoredStore(sql, counters, nowMs, failure));
  } finally {
    await database.close();
  }
}

type BackupFile = { readonly name: BackupStoreName; readonly copy: string; readonly file: string };

/** The stores in the backup, which must include the control plane's. Throws BACKUP_UNUSABLE. */
function findBackupFiles(backup: string, folder: string): BackupFile[] {
  return backedUpStores.flatMap(({ name, kind }) => {
    const copy = getBackupFile(backup, name);
    if (name !== 'control' && !existsSync(copy)) return [];
    const problem = findCopyProblem(copy, kind);
    if (problem !== undefined) throw vpError('BACKUP_UNUSABLE', { file: copy, problem });
    return [{ name, copy, file: getStoreFile(folder, name) }];
  });
}

/**
 * Restores `backup` into the data folder, which no control plane may be using; replaced stores are kept beside the new ones.
 * A store that is not in the backup stays as it is. Throws BACKUP_UNUSABLE, STORE_IN_USE, STORE_*; nothing was changed then.
 */
export async function restoreControl(
  backup: string,
  folder: string,
  clock: Clock,
  pid: number,
): Promise<RestoreResult> {
  const files = findBackupFiles(backup, folder);
  createPrivateFolder(folder);
  const lock = lockFolder(folder, 'control', pid);
  const prepared: (BackupFile & { part: string })[] = [];
  try {
    for (const file of files) prepared.push({ ...file, part: prepareReplacement(file.copy, file.file) });
    const control = prepared.find(({ name }) => name === 'control');
    const counts = control ? await settleCopy(control.part, clock.nowMs()) : { ended: 0, cancelled: 0 };
    const mark = formatRunId(clock.nowMs());
    const stores = prepared.map(({ name, part, file }) => ({
      store: name,
      replaced: replaceStore(part, file, mark),
    }));
    return { ...counts, stores };
  } finally {
    for (const { part } of prepared) removeStore(part);
    lock.release();
  }
}
