/** Puts a copy of the store in its place. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import type { Clock } from '../environment/clock.ts';
import { vpError, wordsOf } from '../errors/vp-error.ts';
import { runIdOf } from '../run/run-id.ts';
import { countersOf } from '../store/control/counters.ts';
import { controlStoreFile } from '../store/control/open.ts';
import { settleRestored } from '../store/control/restored.ts';
import { controlStoreKind } from '../store/control/schema.ts';
import { problemOfCopy } from '../store/copy.ts';
import { openDatabase } from '../store/database.ts';
import { lockFolder } from '../store/lock.ts';
import { preparePrivateFile } from '../store/private-file.ts';

/** What became of it; `replaced` is where the store that was there before stands now. */
export type Restored = { readonly ended: number; readonly cancelled: number; readonly replaced: string | undefined };

/** Files that SQLite keeps beside a store. */
const companions = ['', '-wal', '-shm'];

/**
 * Keeps a copy of the store that is replaced, with what SQLite keeps beside it; the store itself stays in its place until
 * the new one takes it, so that a kill in between leaves one of the two.
 */
function keepAside(file: string, nowMs: number): string | undefined {
  if (!existsSync(file)) return undefined;
  const aside = `${file}.replaced-${runIdOf(nowMs)}`;
  for (const suffix of companions) if (existsSync(file + suffix)) copyFileSync(file + suffix, aside + suffix);
  return aside;
}

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

/**
 * Restores `copy` into the data folder, which no control plane may be using; the store that was there is kept aside.
 * Throws BACKUP_UNUSABLE, STORE_IN_USE; nothing was changed then.
 */
export async function restoreControl(copy: string, folder: string, clock: Clock, pid: number): Promise<Restored> {
  const problem = problemOfCopy(copy, controlStoreKind);
  if (problem !== undefined) throw vpError('BACKUP_UNUSABLE', { file: copy, problem });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(folder, 'control', pid);
  try {
    const file = controlStoreFile(folder);
    const part = `${file}.part`;
    rmSync(part, { force: true });
    preparePrivateFile(part);
    copyFileSync(copy, part);
    chmodSync(part, 0o600);
    const counts = await settle(part, clock.nowMs());
    for (const suffix of ['-wal', '-shm']) rmSync(part + suffix, { force: true });
    const replaced = keepAside(file, clock.nowMs());
    for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
    renameSync(part, file);
    return { ...counts, replaced };
  } finally {
    lock.release();
  }
}
