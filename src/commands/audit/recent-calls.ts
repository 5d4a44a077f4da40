/** Calls that are recorded and not yet in the tables of the audit, for processes that read the tables beside the control plane. */
import { existsSync } from 'node:fs';
import type { Environment } from '../../environment/environment.ts';
import { type ErrorText, formatError, toVpError, VpError } from '../../errors/vp-error.ts';
import { addRecentCalls, countRecentCalls } from '../../hub/audit/add-recent-calls.ts';
import { createChainKeys, getAuditFile } from '../../hub/audit/audit-log.ts';
import { getRecentFile, readRecentLines, removeRecentFile } from '../../store/audit/recent-file.ts';
import type { FolderLock } from '../../store/database.ts';
import {
  assertStoreNotInUse,
  checkAuditDatabase,
  isStoreFileEmpty,
  lockFolder,
  openAuditDatabase,
  openAuditReader,
} from '../../store/engine.ts';
import { hasRestorePlan } from '../../store/restore-plan.ts';
import { getStoreFile } from '../../store/store-files.ts';
import { maxAuditBytes } from '../../store/store-migration.ts';
import { pollUntil } from '../../timing/poll.ts';
import { loadAuditKey } from './audit-key.ts';

/** A control plane that can write does so 50 ms after a call. */
const maxWaitMs = 1000;
const pollIntervalMs = 10;

/** With `fail` what cannot be added is an error, unless a control plane is running. */
export type SettleOptions = {
  readonly onFailure?: 'warn' | 'fail';
  /** Throws STORE_*. */
  readonly checkPages?: (auditFile: string) => void;
};

/**
 * Waits until a running control plane has written what it had recorded before, or adds what a killed one has left. Where that
 * is not possible, the control plane adds it later, and a warning says so.
 */
export async function settleRecentCalls(
  folder: string,
  environment: Environment,
  { onFailure = 'warn', checkPages = checkAuditDatabase }: SettleOptions = {},
): Promise<void> {
  const warn = (problem: string): void => writeWarning(environment, formatError('AUDIT_CALLS_PENDING', { problem }));
  try {
    const isWritten = await writeRecentCalls({ folder, environment, checkPages });
    if (!isWritten) warn('the control plane that is running cannot write them');
  } catch (thrown) {
    if (onFailure === 'fail') throw thrown;
    warn(toVpError(thrown).message);
  }
}

function writeWarning({ streams }: Environment, { code, message, cure }: ErrorText): void {
  streams.stderr.write(`warning ${code}: ${message}\n  ${cure}\n`);
}

function warnOfUnusable(environment: Environment, count: number, auditFile: string): void {
  writeWarning(environment, formatError('AUDIT_CALLS_UNUSABLE', { count, file: getRecentFile(auditFile) }));
}

/**
 * How many calls {@link settleRecentCalls} would add to the tables of a folder whose lock the caller has. Changes nothing.
 * Rejects with STORE_*.
 */
export async function countPendingCalls(folder: string, environment: Environment): Promise<number> {
  const file = getAuditFile(folder);
  if (readRecentLines(file).length === 0 || isStoreFileEmpty(file)) return 0;
  const reader = openAuditReader(file);
  try {
    const key = await loadAuditKey(async (operation) => reader.read(operation), folder, environment);
    const { missing, unusable } = reader.read((sql) => countRecentCalls(sql, file, createChainKeys(key)));
    if (unusable > 0) warnOfUnusable(environment, unusable, file);
    return missing;
  } finally {
    reader.close();
  }
}

type RecentCallsContext = Required<Pick<SettleOptions, 'checkPages'>> & {
  readonly folder: string;
  readonly environment: Environment;
};

/** False where a running control plane has not written them in time. */
async function writeRecentCalls(context: RecentCallsContext): Promise<boolean> {
  const { folder, environment, checkPages } = context;
  const file = getAuditFile(folder);
  const [firstLine] = readRecentLines(file);
  // A restore that is not complete sets the file aside.
  if (firstLine === undefined || isStoreFileEmpty(file) || hasRestorePlan(folder)) return true;
  const takeLock = () => lockUnlessWritten(file, firstLine, folder, environment);
  const probe = await takeLock();
  if (typeof probe !== 'object') return probe === 'written';
  probe.release();
  // Without the lock: it takes a second for each GB, and a control plane that starts meanwhile checks them itself.
  checkPages(file);
  const lock = await takeLock();
  if (typeof lock !== 'object') return lock === 'written';
  try {
    if (readRecentLines(file)[0] === firstLine) {
      await addToTables(context);
      return true;
    }
  } finally {
    lock.release();
  }
  // A control plane has been started and ended since, and may have left others.
  return await writeRecentCalls(context);
}

/**
 * The lock, unless somebody who has it writes the calls: the file begins anew when its rows are in the tables. Another command has
 * the lock for moments only, also while it adds nothing. Undefined when a control plane takes too long.
 */
function lockUnlessWritten(
  file: string,
  firstLine: string,
  folder: string,
  { clock, pid }: Pick<Environment, 'clock' | 'pid'>,
): Promise<FolderLock | 'written' | undefined> {
  const options = { clock, pauseMs: pollIntervalMs, timeoutMs: maxWaitMs };
  const isWritten = (): boolean => readRecentLines(file)[0] !== firstLine;
  return pollUntil(options, () => lockUnlessInUse(folder, pid) ?? (isWritten() ? 'written' : undefined), Boolean);
}

/** Undefined where a control plane has the stores open, even if its lock was removed: it goes on writing the file. */
function lockUnlessInUse(folder: string, pid: number): FolderLock | undefined {
  let lock: FolderLock | undefined;
  try {
    lock = lockFolder(folder, 'control', pid);
    const control = getStoreFile(folder, 'control');
    if (existsSync(control)) assertStoreNotInUse(control, pid);
    return lock;
  } catch (error) {
    lock?.release();
    if (error instanceof VpError && error.code === 'STORE_IN_USE') return undefined;
    throw error;
  }
}

/** The caller has checked the pages, and has the lock. */
async function addToTables({ folder, environment }: RecentCallsContext): Promise<void> {
  const database = openAuditDatabase(getAuditFile(folder), maxAuditBytes, { isChecked: true });
  try {
    const key = await loadAuditKey((operation) => database.read(operation), folder, environment);
    const count = await addRecentCalls(database, createChainKeys(key));
    // What cannot be used stays for a start, which knows whether the tables are an older copy.
    if (count === 0) removeRecentFile(database.file);
    else warnOfUnusable(environment, count, database.file);
  } finally {
    await database.close();
  }
}
