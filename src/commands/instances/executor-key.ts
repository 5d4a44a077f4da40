/** How a new executor key is handed over: printed once, or written to a file for `vp executor --key-file`. */
import { resolve } from 'node:path';
import type { FlagDefinitions } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { ensureKeyFolder, writeKeyFile } from '../../secrets/key-file.ts';

export const keyFileFlag = {
  'key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'write the key to this file, mode 0600, instead of showing it',
  },
} as const satisfies FlagDefinitions;

/**
 * A function that writes a key to `file`. The file is prepared before the key exists: a key that cannot be written is lost.
 * Throws STORE_KEY_UNWRITABLE.
 */
export function createKeyWriter(file: string | undefined, { cwd }: Pick<Environment, 'cwd'>): (key: string) => void {
  if (file === undefined) return () => {};
  const absolute = resolve(cwd, file);
  ensureKeyFolder(absolute);
  return (key) => writeKeyFile(absolute, key);
}

/** The key and the next steps. Lines to paste do not contain the key, because shells store them in their history. */
export function formatKey(id: string, key: string, file: string | undefined, controlPlaneFlag: string): string {
  const line = `vp executor --key-file ${file ?? `${id}.key`}${controlPlaneFlag} --product-dir <folder>`;
  if (file !== undefined) return `  executor key  written to ${file}\nnext: \`${line}\`\n`;
  return `  executor key  ${key}
It is shown only once. Next, on the executor's machine, put the key into a file that only you can read:
  (umask 077; cat > ${id}.key)    then paste the key, press Enter and Ctrl-D
  ${line}
Or set VP_EXECUTOR_KEY from a secret store instead of using a file. To replace the key and write it to a file:
  vp instances rotate-key ${id} --key-file ${id}.key${controlPlaneFlag}
`;
}
