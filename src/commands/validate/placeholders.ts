/** Which placeholders scenarios may use, as far as the command line says so. */
import { resolve } from 'node:path';
import type { ParseOptions } from '../../scenario/parse.ts';
import type { Flags } from '../command.ts';
import { exists } from '../scenario-files.ts';

/** Flags of the commands that read scenarios without running them. */
export const placeholderFlags = {
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml, which says what scenarios may use (default: this one, if it has it)',
  },
  variable: { type: 'strings', placeholder: '<name>', describe: 'a name that scenarios may use as ${NAME}' },
} as const satisfies Flags;

/** The names of the config, and those of the line. A config that is not named and has errors leaves all names open. */
export async function placeholdersOf(
  flags: { readonly 'product-dir': string | undefined; readonly variable: readonly string[] },
  cwd: string,
): Promise<ParseOptions> {
  const folder = flags['product-dir'];
  if (folder === undefined && !exists('platform-config.yaml', cwd)) return { variables: flags.variable };
  const { configOrThrow, loadProject } = await import('../../project/load.ts');
  const loaded = await loadProject(resolve(cwd, folder ?? '.'), { use: 'any' });
  if (folder === undefined && loaded.config === undefined) return { variables: 'any' };
  const { variables, secrets, unlisted } = configOrThrow(loaded).names;
  return {
    variables: [...variables, ...flags.variable],
    secrets,
    unlisted: unlisted.filter((name) => !flags.variable.includes(name)),
  };
}
