import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { getSystemErrorCode } from '../files/system-error.ts';

export type FileMode = 0o600 | 0o644 | 0o755;

const fullDiskReasons: readonly (string | undefined)[] = ['ENOSPC', 'EDQUOT'];

/** The error for a file that could not be written: KIT_DISK_FULL, KIT_UNWRITABLE; `cause` itself if no system error. */
export function toWriteError(file: string, cause: unknown): unknown {
  const reason = getSystemErrorCode(cause);
  if (reason === undefined) return cause;
  return fullDiskReasons.includes(reason)
    ? vpError('KIT_DISK_FULL', { file }, { cause })
    : vpError('KIT_UNWRITABLE', { file, reason }, { cause });
}

/** Creates the folder if necessary. Throws KIT_DISK_FULL, KIT_UNWRITABLE. */
export async function writeOnboardingFile(
  file: string,
  text: string,
  random: Pick<Random, 'token'>,
  mode: FileMode = 0o600,
): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    writeFileAtomically(file, text, { mode, random });
  } catch (error) {
    throw toWriteError(file, error);
  }
}
