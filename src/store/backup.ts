/** Backups of the stores of a data folder. */
import { existsSync, rmSync } from 'node:fs';
import { vpError } from '../errors/vp-error.ts';
import { formatPartName, nameBackupParts, removeUnfinishedBackups } from './backup-files.ts';
import type { CopyPhase, StoreSnapshot } from './database.ts';
import { openSnapshot } from './engine.ts';
import { assertNoRestorePlan } from './restore-plan.ts';
import { type BackupStoreName, backedUpStores, getBackupFile, getStoreFile } from './store-files.ts';

export type BackupCopy = { readonly store: BackupStoreName; readonly file: string; readonly bytes: number };

type OpenSource = {
  readonly store: BackupStoreName;
  readonly file: string;
  readonly part: string;
  readonly snapshot: StoreSnapshot;
};

/** Gets the share of one store's phase that is done. */
export type BackupProgress = (store: BackupStoreName, phase: CopyPhase, share: number) => void;

/**
 * Copies the stores of `folder`, also while they are in use, into `target` and files beside it, and checks the copies. The
 * files get their names when all are complete, the control plane's store last. Throws BACKUP_EXISTS, RESTORE_INCOMPLETE,
 * STORE_DAMAGED and other STORE_*; no file is left then.
 */
export async function backUpStores(
  folder: string,
  target: string,
  pid: number,
  onProgress: BackupProgress,
): Promise<BackupCopy[]> {
  assertNoRestorePlan(folder);
  const files = backedUpStores.map(({ name }) => getBackupFile(target, name));
  removeUnfinishedBackups(files, pid);
  for (const file of files) assertAbsent(file);
  const openSources = openAllSources(folder, target, pid);
  try {
    const copies: BackupCopy[] = [];
    for (const { store, file, part, snapshot } of openSources) {
      const bytes = await snapshot.copyTo(part, (phase, share) => onProgress(store, phase, share));
      copies.push({ store, file, bytes });
      snapshot.close();
    }
    nameBackupParts(openSources);
    return copies;
  } finally {
    for (const { snapshot, part } of openSources) {
      snapshot.close();
      rmSync(part, { force: true });
    }
  }
}

function assertAbsent(file: string): void {
  if (existsSync(file)) throw vpError('BACKUP_EXISTS', { file });
}

/**
 * Opens all before the first is copied, so that the copies are of one moment; the control plane's store first, because it must
 * not know more of the audit than its copy has. It must exist.
 */
function openAllSources(folder: string, target: string, pid: number): OpenSource[] {
  const sources = backedUpStores
    .map(({ name }) => ({ store: name, source: getStoreFile(folder, name), file: getBackupFile(target, name) }))
    .filter(({ store, source }) => store === 'control' || existsSync(source));
  const openSources: OpenSource[] = [];
  try {
    for (const { store, source, file } of sources.toReversed())
      openSources.unshift({ store, file, part: formatPartName(file, pid), snapshot: openSnapshot(source) });
    return openSources;
  } catch (error) {
    for (const { snapshot } of openSources) snapshot.close();
    throw error;
  }
}
