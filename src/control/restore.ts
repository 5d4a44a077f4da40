/** Puts a backup in the place of the stores of a data folder. */

import { existsSync } from 'node:fs';
import type { Clock } from '../environment/clock.ts';
import { vpError, wordsOf } from '../errors/vp-error.ts';
import { runIdOf } from '../run/run-id.ts';
import { type BackedUpStore, backedUpStores, backupFile, storeFile } from '../store/backup.ts';
import { countersOf } from '../store/control/counters.ts';
import { settleRestored } from '../store/control/restored.ts';
import { controlStoreKind } from '../store/control/schema.ts';
import { problemOfCopy } from '../store/copy.ts';
import { openDatabase } from '../store/database.ts';
import { makePrivateFolder } from '../store/folder.ts';
import { lockFolder } from '../store/lock.ts';
import { preparePart, putBack, removeWhole } from '../store/put-back.ts';

/** What became of a store; `replaced` is where the one that was there before stands now. */
export type RestoredStore = { readonly store: BackedUpStore; readonly replaced: string | undefined };

/** What became of it all: how many runs were ended and cancelled, and the stores that the backup held. */
export type Restored = {
  readonly ended: number;
  readonly cancelled: number;
  readonly stores: readonly RestoredStore[];
};

async function settle(file: string, nowMs: number) {
  const database = openDatabase({ file, kind: controlStoreKind });
  try {
    const counters = await database.read(countersOf);
    const words = wordsOf('RUN_EXECUTOR_LOST', { instance: 'this run', reason: 'control plane restored' });
    return await database.write((sql) => settleRestored(sql, counters, nowMs, words));
  } finally {
    await database.close();
  }
}

type Wanted = { readonly name: BackedUpStore; readonly copy: string; readonly file: string };

/** The stores that the backup holds; the control plane's it must hold. Throws BACKUP_UNUSABLE. */
function wantedOf(backup: string, folder: string): Wanted[] {
  return backedUpStores.flatMap(({ name, kind }) => {
    const copy = backupFile(backup, name);
    if (name !== 'control' && !existsSync(copy)) return [];
    const problem = problemOfCopy(copy, kind);
    if (problem !== undefined) throw vpError('BACKUP_UNUSABLE', { file: copy, problem });
    return [{ name, copy, file: storeFile(folder, name) }];
  });
}

/**
 * Restores `backup` into the data folder, which no control plane may be using; the stores that were there are kept aside.
 * One that the backup does not hold stays as it is. Throws BACKUP_UNUSABLE, STORE_IN_USE, STORE_*; nothing was changed then.
 */
export async function restoreControl(backup: string, folder: string, clock: Clock, pid: number): Promise<Restored> {
  const wanted = wantedOf(backup, folder);
  makePrivateFolder(folder);
  const lock = lockFolder(folder, 'control', pid);
  const parts: (Wanted & { part: string })[] = [];
  try {
    for (const one of wanted) parts.push({ ...one, part: preparePart(one.copy, one.file) });
    const control = parts.find(({ name }) => name === 'control');
    const counts = control ? await settle(control.part, clock.nowMs()) : { ended: 0, cancelled: 0 };
    const mark = runIdOf(clock.nowMs());
    const stores = parts.map(({ name, part, file }) => ({ store: name, replaced: putBack(part, file, mark) }));
    return { ...counts, stores };
  } finally {
    for (const { part } of parts) removeWhole(part);
    lock.release();
  }
}
