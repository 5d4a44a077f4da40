/**
 * A starting control plane waits for a command that has the lock of the data folder, such as one that adds recorded calls to the
 * audit. Another control plane, which has the store open, is not waited for.
 */
import type { Clock } from '../../environment/clock.ts';
import { isProcessAlive } from '../../environment/process-id.ts';
import { VpError } from '../../errors/vp-error.ts';
import { pollUntil } from '../../timing/poll.ts';
import type { FolderLock } from '../database.ts';
import { lockFolder, readLockHolder, readStoreOwner } from '../engine.ts';
import { getStoreFile } from '../store-files.ts';

/** A command adds recorded calls within one commit. A restore or a move takes longer, and the start is refused then. */
const maxWaitMs = 5000;
const pollIntervalMs = 20;

/** `onWait` gets STORE_IN_USE when the wait begins. */
export type StartWait = {
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  readonly onWait: (error: VpError) => void;
};

/** Takes the lock of `folder` for a control plane that starts. Rejects with STORE_IN_USE. */
export async function lockForStart(folder: string, pid: number, { clock, onWait }: StartWait): Promise<FolderLock> {
  let hasWaited = false;
  const onPause = (error: FolderLock | VpError): void => {
    if (!hasWaited && error instanceof VpError) onWait(error);
    hasWaited = true;
  };
  const options = { clock, pauseMs: pollIntervalMs, timeoutMs: maxWaitMs, onPause };
  const result = await pollUntil(
    options,
    () => tryToLock(folder, pid),
    (value) => !(value instanceof VpError) || isOwnedByControlPlane(folder),
  );
  if (result instanceof VpError) throw result;
  return result;
}

/** Returns STORE_IN_USE, throws other errors. */
function tryToLock(folder: string, pid: number): FolderLock | VpError {
  try {
    return lockFolder(folder, 'control', pid);
  } catch (error) {
    if (error instanceof VpError && error.code === 'STORE_IN_USE') return error;
    throw error;
  }
}

function isOwnedByControlPlane(folder: string): boolean {
  const owner = readStoreOwner(getStoreFile(folder, 'control'));
  return owner !== undefined && owner === readLockHolder(folder, 'control') && isProcessAlive(owner);
}
