/** Which placeholders scenarios may use, according to the command line. */
import { join, resolve } from 'node:path';
import type { FlagDefinitions } from '../../command-line/command.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import { productFolderFlag } from '../role-flags.ts';
import { pathExists } from '../scenarios/scenario-files.ts';

export const placeholderFlags = {
  'product-dir': {
    ...productFolderFlag,
    describe:
      'folder of platform-config.yaml, which lists the allowed variables (default: this folder or ./product, if one has it)',
  },
  variable: { type: 'strings', placeholder: '<name>', describe: 'a variable that scenarios may use as ${NAME}' },
} as const satisfies FlagDefinitions;

/** This folder or `product` in it, where one has a config. */
export function findProductFolder(cwd: string): string | undefined {
  return ['.', 'product'].find((folder) => pathExists(join(folder, 'platform-config.yaml'), cwd));
}

/** The same; without a config, `product` where there is one, for a message that says what is missing in it. */
export function guessProductFolder(cwd: string): string {
  return findProductFolder(cwd) ?? (pathExists('product', cwd) ? 'product' : '.');
}

/** The path as given if it resolves the same in this process, so that messages show it that way. */
export function resolveFromCwd(folder: string, cwd: string): string {
  const absolute = resolve(cwd, folder);
  return resolve(folder) === absolute ? folder : absolute;
}

/** The names of the config and of --variable. A config that was found by default and has errors allows all names. */
export async function readPlaceholders(
  flags: { readonly 'product-dir': string | undefined; readonly variable: readonly string[] },
  cwd: string,
): Promise<ParseOptions> {
  const folder = flags['product-dir'];
  const usedFolder = folder ?? findProductFolder(cwd);
  if (usedFolder === undefined) return { variables: flags.variable };
  const { requireConfig, loadProject } = await import('../../project/load-project.ts');
  const loaded = await loadProject(resolve(cwd, usedFolder), { use: 'any' });
  if (folder === undefined && loaded.config === undefined) return { variables: 'any' };
  const { variables, secrets, unlisted } = requireConfig(loaded).names;
  return {
    variables: [...variables, ...flags.variable],
    secrets,
    unlisted: unlisted.filter((name) => !flags.variable.includes(name)),
  };
}
