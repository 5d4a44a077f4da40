import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';
import { getSystemErrorCode } from '../files/system-error.ts';

export type FileMode = 0o600 | 0o644 | 0o755;

/** Creates the folder if necessary. Throws KIT_UNWRITABLE. */
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
    const reason = getSystemErrorCode(error);
    throw reason === undefined ? error : vpError('KIT_UNWRITABLE', { file, reason }, { cause: error });
  }
}
