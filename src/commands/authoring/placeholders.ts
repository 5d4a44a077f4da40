/** Which placeholders scenarios may use, according to the command line. */
import { resolve } from 'node:path';
import type { Flags } from '../../command-line/command.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import { pathExists } from '../scenarios/scenario-files.ts';

export const placeholderFlags = {
  'product-dir': {
    type: 'string',
    placeholder: '<folder>',
    describe: 'folder of platform-config.yaml, which lists the allowed variables (default: this folder, if it has one)',
  },
  variable: { type: 'strings', placeholder: '<name>', describe: 'a variable that scenarios may use as ${NAME}' },
} as const satisfies Flags;

/** The names of the config and of --variable. A config that was found by default and has errors allows all names. */
export async function readPlaceholders(
  flags: { readonly 'product-dir': string | undefined; readonly variable: readonly string[] },
  cwd: string,
): Promise<ParseOptions> {
  const folder = flags['product-dir'];
  if (folder === undefined && !pathExists('platform-config.yaml', cwd)) return { variables: flags.variable };
  const { configOrThrow, loadProject } = await import('../../project/load-project.ts');
  const loaded = await loadProject(resolve(cwd, folder ?? '.'), { use: 'any' });
  if (folder === undefined && loaded.config === undefined) return { variables: 'any' };
  const { variables, secrets, unlisted } = configOrThrow(loaded).names;
  return {
    variables: [...variables, ...flags.variable],
    secrets,
    unlisted: unlisted.filter((name) => !flags.variable.includes(name)),
  };
}
