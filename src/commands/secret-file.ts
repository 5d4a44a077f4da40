/** The secret that `--secret-file` names: never read from the command line, which other users of the machine can see. */
import { resolve } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { readKeyFile } from '../secrets/key-file.ts';
import { readLine } from './prompt-line.ts';

/**
 * The file's text, or a line of standard input for `-`; `refuse` is called where there is none, because the command would go on
 * without the secret. Throws STORE_KEY_EXPOSED, STORE_KEY_UNREADABLE.
 */
export async function readSecretFile(
  file: string,
  refuse: (flag: string, problem: string) => never,
  { cwd, streams }: Pick<Environment, 'cwd' | 'streams'>,
): Promise<string> {
  const text = file === '-' ? (await readLine(streams.stdin)).trim() : readKeyFile(resolve(cwd, file));
  if (text) return text;
  if (file === '-') return refuse('--secret-file', 'is -, and standard input has no line with a secret');
  return refuse(
    '--secret-file',
    text === undefined ? `names ${file}, which does not exist` : `names ${file}, which is empty`,
  );
}
