/** Backups: which stores of a data folder they hold, and the file of each. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { vpError } from '../errors/vp-error.ts';
import { auditStoreKind } from './audit/audit-schema.ts';
import { controlStoreKind } from './control/schema/control-schema.ts';
import type { StoreSnapshot } from './database.ts';
import { openSnapshot } from './engine.ts';
import { memoryStoreKind } from './memory/memory-schema.ts';

/** In the order of copying; the control plane's store comes last, so that a backup that has it is complete. */
export const backedUpStores = [
  { name: 'audit', kind: auditStoreKind },
  { name: 'memory', kind: memoryStoreKind },
  { name: 'control', kind: controlStoreKind },
] as const;

export type BackupStoreName = (typeof backedUpStores)[number]['name'];

export function getStoreFile(folder: string, name: BackupStoreName): string {
  return join(folder, `${name}.db`);
}

/** The file of a store in the backup `target`: the control plane's is `target` itself, others stand beside it (`x.db`, `x.audit.db`). */
export function getBackupFile(target: string, name: BackupStoreName): string {
  return name === 'control' ? target : `${target.replace(/\.db$/, '')}.${name}.db`;
}

export type BackupCopy = { readonly store: BackupStoreName; readonly file: string; readonly bytes: number };

type OpenSource = { readonly store: BackupStoreName; readonly file: string; readonly snapshot: StoreSnapshot };

/**
 * Copies the stores of `folder`, also while they are in use, into `target` and files beside it. `onProgress` gets the share
 * of one store that is done. Throws BACKUP_EXISTS, STORE_*; no file is left then.
 */
export async function backUpStores(
  folder: string,
  target: string,
  onProgress: (store: BackupStoreName, share: number) => void,
): Promise<BackupCopy[]> {
  for (const { name } of backedUpStores) assertAbsent(getBackupFile(target, name));
  const openSources = openAllSources(folder, target);
  const copies: BackupCopy[] = [];
  try {
    for (const { store, file, snapshot } of openSources) {
      copies.push({ store, file, bytes: await snapshot.copyTo(file, (share) => onProgress(store, share)) });
      snapshot.close();
    }
    return copies;
  } catch (error) {
    for (const { file } of copies) rmSync(file, { force: true });
    throw error;
  } finally {
    for (const { snapshot } of openSources) snapshot.close();
  }
}

function assertAbsent(file: string): void {
  if (existsSync(file)) throw vpError('BACKUP_EXISTS', { file });
}

/** Opens all before the first is copied, so that the copies are of one moment. The control plane's store must exist. */
function openAllSources(folder: string, target: string): OpenSource[] {
  const sources = backedUpStores
    .map(({ name }) => ({ store: name, source: getStoreFile(folder, name), file: getBackupFile(target, name) }))
    .filter(({ store, source }) => store === 'control' || existsSync(source));
  const openSources: OpenSource[] = [];
  try {
    for (const { store, source, file } of sources) openSources.push({ store, file, snapshot: openSnapshot(source) });
    return openSources;
  } catch (error) {
    for (const { snapshot } of openSources) snapshot.close();
    throw error;
  }
}

/**
 * Copies the store `source` into the new file `target`, also while it is in use; returns the size in bytes.
 * `onProgress` gets the share that is done. Throws BACKUP_EXISTS, STORE_*.
 */
export async function copyStore(source: string, target: string, onProgress: (share: number) => void): Promise<number> {
  if (existsSync(target)) throw vpError('BACKUP_EXISTS', { file: target });
  const snapshot = openSnapshot(source);
  try {
    return await snapshot.copyTo(target, onProgress);
  } finally {
    snapshot.close();
  }
}
