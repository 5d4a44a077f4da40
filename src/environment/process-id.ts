import { kill } from 'node:process';

/** False when no process has this id. A process of another user counts as alive. */
export function isProcessAlive(pid: number): boolean {
  try {
    kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
