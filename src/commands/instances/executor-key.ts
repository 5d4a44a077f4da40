/** An executor key on its way to people: shown this once, or kept in a file for `vp executor --key-file`. */
import { resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { prepareKeyFile, writeKeyFile } from '../../secrets/key-file.ts';
import type { Flags } from '../command.ts';

/** The flag that keeps the key out of the terminal. */
export const keyFileFlag = {
  'key-file': {
    type: 'string',
    placeholder: '<file>',
    describe: 'write the key to this file, mode 0600, instead of showing it',
  },
} as const satisfies Flags;

/**
 * What keeps a key in `file`, made ready before there is a key: one that cannot be kept is lost, since it is shown once.
 * Throws STORE_KEY_UNWRITABLE.
 */
export function keyKeeper(file: string | undefined, { cwd }: Pick<Environment, 'cwd'>): (key: string) => void {
  if (file === undefined) return () => {};
  const absolute = resolve(cwd, file);
  prepareKeyFile(absolute);
  return (key) => writeKeyFile(absolute, key);
}

/** The key and what to do with it next, on lines that can be pasted: shells keep those, so the key is in none. `lineFlag` names the control plane. */
export function keyText(id: string, key: string, file: string | undefined, lineFlag: string): string {
  const line = `vp executor --key-file ${file ?? `${id}.key`}${lineFlag} --product-dir <folder>`;
  if (file !== undefined) return `  executor key  written to ${file}\nnext: \`${line}\`\n`;
  return `  executor key  ${key}
it is shown this once. Next, where the executor is to run, with the key in a file that only you can read:
  (umask 077; cat > ${id}.key)    then paste the key, Enter, Ctrl-D
  ${line}
VP_EXECUTOR_KEY stands in for the file, where a secret store sets it. A new key in a file of its own:
  vp instances rotate-key ${id} --key-file ${id}.key${lineFlag}
`;
}
