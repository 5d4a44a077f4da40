import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type VpError, vpError } from '../../errors/vp-error.ts';
import { assertNoUnfinishedCopy } from '../backup-files.ts';
import type { Database, FolderLock, StorePositionOptions } from '../database.ts';
import { getStorePositionFile, lockFolder, openDatabase, readControlCommits } from '../engine.ts';
import { completeRestore, type RestoredStore } from '../restore-plan.ts';
import type { Sql } from '../sql.ts';
import { backedUpStores, getStoreFile } from '../store-files.ts';
import type { StoreState } from '../store-state.ts';
import { type Counters, loadCounters } from './counters.ts';
import { controlStoreKind } from './schema/control-schema.ts';
import { lockForStart, type StartWait } from './start-lock.ts';

/** The database, its counters, and the lock that keeps a second control plane out. */
export type ControlStore = {
  readonly database: Database;
  readonly counters: Counters;
  getState(): StoreState;
  close(): Promise<void>;
};

export function getControlStoreFile(folder: string): string {
  return join(folder, 'control.db');
}

/** Files that exist beside a store only after something was written to it. */
const companionFiles = ['control.db-wal', 'audit.db', 'memory.db'];

function getSize(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

/**
 * What shows that the store of `folder` had content, when it has none: a full disk or an interrupted copy leaves an empty file,
 * and a file can be removed. SQLite would open a new store, and all data would be lost silently.
 */
function findLostStore(folder: string): VpError | undefined {
  const file = getControlStoreFile(folder);
  const size = getSize(file);
  if (size !== undefined && size > 0) return undefined;
  // The position beside the store is read where the store is opened.
  if (existsSync(getStorePositionFile(file))) return undefined;
  // A key may be provided before the first start.
  const companions = size === 0 ? [...companionFiles, 'master.key'] : companionFiles;
  const companion = companions.find((name) => (getSize(join(folder, name)) ?? 0) > 0);
  if (companion === undefined) return undefined;
  const values = { file, problem: size === 0 ? 'empty' : 'missing', companion };
  return vpError('STORE_LOST', values);
}

/** Opens a control store without its lock: a copy, or with `position` beside the control plane that has it open. Throws STORE_*. */
export function openControlDatabase(file: string, position?: StorePositionOptions): Database {
  return openDatabase({ file, createKind: controlStoreKind, position });
}

/** `onLoss` accepts a loss, which is refused otherwise. */
export type ControlStoreOptions = {
  readonly folder: string;
  readonly pid: number;
  readonly onLoss?: ((loss: VpError) => void) | undefined;
  readonly onRestored?: ((stores: readonly RestoredStore[]) => void) | undefined;
  /** Without it, a folder in use is refused at once. */
  readonly wait?: StartWait | undefined;
};

/**
 * Opens the store in `folder`, after completing a restore that was interrupted. Throws STORE_IN_USE, STORE_LOST, and what
 * {@link openControlDatabase} throws.
 */
export async function openControlStore({
  folder,
  pid,
  onLoss,
  onRestored,
  wait,
}: ControlStoreOptions): Promise<ControlStore> {
  const lock: FolderLock = wait ? await lockForStart(folder, pid, wait) : lockFolder(folder, 'control', pid);
  const file = getControlStoreFile(folder);
  try {
    const restored = completeRestore(folder);
    if (restored) onRestored?.(restored);
    assertNoUnfinishedCopy(
      folder,
      backedUpStores.map(({ name }) => getStoreFile(folder, name)),
    );
    const loss = findLostStore(folder);
    if (loss && !onLoss) throw loss;
    if (loss) onLoss?.(loss);
    const knownCommits = readControlCommits(getStoreFile(folder, 'audit'));
    const database = openControlDatabase(file, { role: 'owner', pid, onLoss, knownCommits });
    const counters = await database.read(loadCounters);
    return {
      database,
      counters,
      getState: () => ({ engine: 'sqlite' }),
      async close() {
        await database.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** A small write, so that a full or read-only disk is seen before a run is requested. Throws STORE_DISK_FULL and other STORE_*. */
export function recordReadinessProbe(sql: Sql, nowMs: number): void {
  const statement =
    "INSERT INTO meta VALUES ('probed_at_ms', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
  sql.execute(statement, String(nowMs));
}

/** Writes `bytes` and takes them back in one transaction: needs as many free pages as a report. Throws STORE_*. */
export function discardReadinessBallast(sql: Sql, bytes: number): void {
  sql.execute("INSERT INTO meta VALUES ('readiness_ballast', hex(randomblob(?)))", Math.ceil(bytes / 2));
  sql.execute("DELETE FROM meta WHERE name = 'readiness_ballast'");
}
