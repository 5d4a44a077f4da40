/** The master key: 32 bytes outside the database, in `VP_MASTER_KEY` or in a 0600 file; it seals the data keys. */

import type { Random } from '../environment/random.ts';
import { vpError } from '../errors/vp-error.ts';
import { readKeyFile, writeKeyFile } from './key-file.ts';
import type { SealingKey } from './sealing.ts';

/** `mayCreate` is true only for a store without data. */
export type MasterKeySource = {
  readonly file: string;
  readonly variable: string | undefined;
  readonly mayCreate: boolean;
};

/** Data keys are sealed under this id. */
const masterKeyId = 0;

function decode(text: string, source: string): SealingKey {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== 32) throw vpError('STORE_KEY_INVALID', { source });
  return { id: masterKeyId, bytes };
}

/**
 * The master key; the variable takes precedence over the file. Creates the file when allowed.
 * Throws STORE_KEY_INVALID, STORE_KEY_EXPOSED; undefined when there is none and none may be created.
 */
export function loadMasterKey(source: MasterKeySource, random: Random): SealingKey | undefined {
  if (source.variable) return decode(source.variable, 'VP_MASTER_KEY');
  const text = readKeyFile(source.file);
  if (text !== undefined) return decode(text, source.file);
  if (!source.mayCreate) return undefined;
  const bytes = random.bytes(32);
  writeKeyFile(source.file, Buffer.from(bytes).toString('base64'));
  return { id: masterKeyId, bytes };
}
