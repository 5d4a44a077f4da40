/** A data folder whose stores are copied while nobody may use it. */
import { existsSync } from 'node:fs';
import { vpError } from '../../errors/vp-error.ts';
import type { StoreKind } from '../database.ts';
import { assertStoreNotInUse, findStoreLoss, lockFolder, openStoreTables } from '../engine.ts';
import { assertNoRestorePlan } from '../restore-plan.ts';
import { type BackupStoreName, backedUpStores, getStoreFile } from '../store-files.ts';
import type { StoreTables } from './copied-table.ts';

/** By store; the audit and the memory may be absent. */
export type SourceStores = {
  readonly stores: ReadonlyMap<BackupStoreName, StoreTables>;
  close(): void;
};

/**
 * Locks the folder, and opens its stores for reading alone. Throws STORE_ABSENT, STORE_IN_USE, STORE_WENT_BACK, STORE_OUTDATED,
 * RESTORE_INCOMPLETE and other STORE_*.
 */
export function openSourceFolder(folder: string, pid: number): SourceStores {
  const control = getStoreFile(folder, 'control');
  if (!existsSync(control)) throw vpError('STORE_ABSENT', { file: control });
  const lock = lockFolder(folder, 'control', pid);
  try {
    assertNoRestorePlan(folder);
    assertStoreNotInUse(control, pid);
    for (const { name, kind } of backedUpStores) {
      const loss = findStoreLoss(getStoreFile(folder, name), kind);
      if (loss) throw loss;
    }
    const opened = openSourceFiles((name) => getStoreFile(folder, name));
    return {
      stores: opened.stores,
      close() {
        opened.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Opens the stores at the paths that `getFile` returns, which nobody else uses. The control plane's must exist. */
export function openSourceFiles(getFile: (name: BackupStoreName) => string): SourceStores {
  const stores = new Map<BackupStoreName, StoreTables>();
  const close = (): void => {
    for (const store of stores.values()) store.close();
  };
  try {
    for (const { name, kind } of backedUpStores)
      if (isPresent(getFile(name), name)) stores.set(name, open(getFile(name), kind));
    return { stores, close };
  } catch (error) {
    close();
    throw error;
  }
}

const open = (file: string, kind: StoreKind): StoreTables => openStoreTables(file, kind);

function isPresent(file: string, name: BackupStoreName): boolean {
  return name === 'control' || existsSync(file);
}
