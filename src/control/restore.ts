/** Restores a backup into a data folder: all of its stores or, until it is decided, none. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../environment/clock.ts';
import { formatError, vpError } from '../errors/vp-error.ts';
import { formatRunId } from '../run/run-id.ts';
import { openControlDatabase } from '../store/control/control-store.ts';
import { loadCounters } from '../store/control/counters.ts';
import { settleRestoredStore } from '../store/control/settle-restored.ts';
import {
  assertStoreNotInUse,
  findCopyProblem,
  leapStoreCommits,
  lockFolder,
  prepareReplacement,
  readControlCommits,
  removeStore,
} from '../store/engine.ts';
import { createPrivateFolder } from '../store/private-files.ts';
import { completeRestore, type RestoredStore, saveRestorePlan } from '../store/restore-plan.ts';
import { type BackupStoreName, backedUpStores, getBackupFile, getStoreFile } from '../store/store-files.ts';
import { assertMasterKeyFits } from './keyring.ts';

/** `masterKey` is the value of VP_MASTER_KEY. */
export type RestoreOptions = {
  readonly backup: string;
  readonly folder: string;
  readonly clock: Clock;
  readonly pid: number;
  readonly masterKey?: string | undefined;
  /** Gets the share of the check of one store that is done. */
  readonly onProgress?: (store: BackupStoreName, share: number) => void;
  /** Is called before each step that changes the folder. */
  readonly onStep?: (step: string) => void;
};

/** The numbers of runs ended and cancelled, and the restored stores. */
export type RestoreResult = {
  readonly ended: number;
  readonly cancelled: number;
  readonly stores: readonly RestoredStore[];
};

type BackupFile = { readonly name: BackupStoreName; readonly copy: string; readonly file: string };

/** The stores in the backup, which must include the control plane's. Throws BACKUP_DAMAGED, BACKUP_UNUSABLE. */
export async function findBackupFiles({ backup, folder, onProgress }: RestoreOptions): Promise<BackupFile[]> {
  const files: BackupFile[] = [];
  for (const { name, kind } of backedUpStores) {
    const copy = getBackupFile(backup, name);
    if (name !== 'control' && !existsSync(copy)) continue;
    const copyProblem = await findCopyProblem(copy, kind, (share) => onProgress?.(name, share));
    if (copyProblem?.kind === 'damaged') throw vpError('BACKUP_DAMAGED', { file: copy, problem: copyProblem.problem });
    if (copyProblem) throw vpError('BACKUP_UNUSABLE', { file: copy, problem: copyProblem.problem });
    files.push({ name, copy, file: getStoreFile(folder, name) });
  }
  return files;
}

/** Settles the copy `file` of the control plane's store. Throws BACKUP_KEY_MISSING, BACKUP_KEY_WRONG before it changes anything. */
export async function settleCopy(file: string, { folder, clock, masterKey }: RestoreOptions) {
  const database = openControlDatabase(file);
  try {
    await assertMasterKeyFits(database, { file: join(folder, 'master.key'), variable: masterKey });
    const counters = await database.read(loadCounters);
    const failure = formatError('RUN_EXECUTOR_LOST', { instance: 'this run', reason: 'control plane restored' });
    // An earlier restore may have leapt further, by a clock that has been set back since.
    const commits = Math.max(clock.nowMs(), readControlCommits(getStoreFile(folder, 'audit')));
    return await database.write((sql) => {
      leapStoreCommits(sql, commits);
      return settleRestoredStore(sql, counters, clock.nowMs(), failure);
    });
  } finally {
    await database.close();
  }
}

/**
 * Restores `backup` into the data folder, which no control plane may be using; replaced stores are kept beside the new ones.
 * A store that is not in the backup stays as it is. A restore that was interrupted is completed first. Throws BACKUP_*,
 * STORE_IN_USE, STORE_*; nothing was changed then.
 */
export async function restoreControl(options: RestoreOptions): Promise<RestoreResult> {
  const { folder, clock, pid, onStep } = options;
  const files = await findBackupFiles(options);
  createPrivateFolder(folder);
  const lock = lockFolder(folder, 'control', pid);
  try {
    const current = getStoreFile(folder, 'control');
    if (existsSync(current)) assertStoreNotInUse(current, pid);
    completeRestore(folder, onStep);
    const parts = files.map(({ file }) => `${file}.part`);
    let counts = { ended: 0, cancelled: 0 };
    try {
      for (const { name, copy, file } of files) {
        onStep?.(`${name}: copy`);
        const part = prepareReplacement(copy, file);
        if (name === 'control') counts = await settleCopy(part, options);
      }
      onStep?.('save the plan');
      saveRestorePlan(
        folder,
        formatRunId(clock.nowMs()),
        files.map(({ name }) => name),
      );
    } catch (error) {
      for (const part of parts) removeStore(part);
      throw error;
    }
    return { ...counts, stores: completeRestore(folder, onStep) ?? [] };
  } finally {
    lock.release();
  }
}
