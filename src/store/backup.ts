/** Which stores of a data folder a backup holds, and the file of each: all are copied as they are at one moment. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { vpError } from '../errors/vp-error.ts';
import { auditStoreKind } from './audit/schema.ts';
import { controlStoreKind } from './control/schema.ts';
import { openSnapshot, type Snapshot } from './copy.ts';
import { memoryStoreKind } from './memory/schema.ts';

/** In the order in which they are copied; the control plane's own comes last, so that a backup with it is whole. */
export const backedUpStores = [
  { name: 'audit', kind: auditStoreKind },
  { name: 'memory', kind: memoryStoreKind },
  { name: 'control', kind: controlStoreKind },
] as const;

/** One of them. */
export type BackedUpStore = (typeof backedUpStores)[number]['name'];

/** A store of the data folder. */
export function storeFile(folder: string, name: BackedUpStore): string {
  return join(folder, `${name}.db`);
}

/** Where the backup `target` keeps a store: the control plane's in `target` itself, others beside it (`x.db`, `x.audit.db`). */
export function backupFile(target: string, name: BackedUpStore): string {
  return name === 'control' ? target : `${target.replace(/\.db$/, '')}.${name}.db`;
}

/** A copy; `bytes` is its size. */
export type CopiedStore = { readonly store: BackedUpStore; readonly file: string; readonly bytes: number };

type Held = { readonly store: BackedUpStore; readonly file: string; readonly snapshot: Snapshot };

/**
 * Copies the stores of `folder`, whoever is using them, into `target` and files beside it. `onProgress` gets the share of
 * one store that is done. Throws BACKUP_EXISTS, STORE_*; no file is left then.
 */
export async function backUp(
  folder: string,
  target: string,
  onProgress: (store: BackedUpStore, share: number) => void,
): Promise<CopiedStore[]> {
  for (const { name } of backedUpStores) demandAbsent(backupFile(target, name));
  const held = hold(folder, target);
  const copies: CopiedStore[] = [];
  try {
    for (const { store, file, snapshot } of held) {
      copies.push({ store, file, bytes: await snapshot.copyTo(file, (share) => onProgress(store, share)) });
      snapshot.close();
    }
    return copies;
  } catch (error) {
    for (const { file } of copies) rmSync(file, { force: true });
    throw error;
  } finally {
    for (const { snapshot } of held) snapshot.close();
  }
}

function demandAbsent(file: string): void {
  if (existsSync(file)) throw vpError('BACKUP_EXISTS', { file });
}

/** Those that are there; the control plane's must be. */
function hold(folder: string, target: string): Held[] {
  const wanted = backedUpStores
    .map(({ name }) => ({ store: name, source: storeFile(folder, name), file: backupFile(target, name) }))
    .filter(({ store, source }) => store === 'control' || existsSync(source));
  const held: Held[] = [];
  try {
    for (const { store, source, file } of wanted) held.push({ store, file, snapshot: openSnapshot(source) });
    return held;
  } catch (error) {
    for (const { snapshot } of held) snapshot.close();
    throw error;
  }
}
