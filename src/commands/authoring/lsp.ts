/** `vp lsp`: a language server for editors, on standard input and output. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { command } from '../../command-line/command.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { exitCode } from '../../errors/exit-code.ts';
import type { ScenarioFolder } from '../../language-server/language-server.ts';
import type { ParseOptions } from '../../scenario/parse.ts';
import { addUsedFiles } from '../scenarios/scenario-files.ts';
import { placeholderFlags, readPlaceholders } from './placeholders.ts';

type PlaceholderValues = Parameters<typeof readPlaceholders>[0];

export const lspCommand = command({
  name: 'lsp',
  summary: 'serve an editor: problems, completion, hover, fixes',
  positionals: [],
  flags: {
    ...placeholderFlags,
    stdio: { type: 'boolean', default: true, describe: 'speak on standard input and output, as it always does' },
  },
  examples: [['vp lsp', 'started by an editor: the Language Server Protocol on standard input and output']],
  notes:
    'Markdown files that are scenarios get diagnostics, completion, hover, formatting, quick fixes, and the definition of captures and of `use:`. ' +
    'Nothing is sent to a target and no file is written. Without a config all names of variables are allowed.\n\n' +
    'Exit code 0: the editor ended the session in order. 4: it did not.',
  async run({ flags, environment }) {
    const { runLanguageServer } = await import('../../language-server/language-server.ts');
    const { stdin, stdout } = environment.streams;
    const output = new Writable({
      write(chunk: Buffer, _encoding, callback) {
        stdout.write(chunk.toString('utf8'));
        callback();
      },
    });
    const folder = createScenarioFolder(flags, environment);
    return (await runLanguageServer({ input: stdin, output, folder, version })) ? exitCode.done : exitCode.broken;
  },
});

function createScenarioFolder(flags: PlaceholderValues, { cwd }: Pick<Environment, 'cwd'>): ScenarioFolder {
  return {
    embed(uri, text) {
      const file = toPath(uri);
      return file === undefined ? text : addUsedFiles(text, file, dirname(file), cwd);
    },
    resolveFile(uri, name) {
      const file = toPath(uri);
      const target = file === undefined ? undefined : resolve(dirname(file), name);
      return target !== undefined && existsSync(target) ? pathToFileURL(target).href : undefined;
    },
    readOptions: () => readOptions(flags, cwd),
  };
}

/** A config that cannot be read must not take the editor’s diagnostics away. */
async function readOptions(flags: PlaceholderValues, cwd: string): Promise<ParseOptions> {
  try {
    const options = await readPlaceholders(flags, cwd);
    return options.variables === undefined ||
      (Array.isArray(options.variables) && options.variables.length === 0 && !options.secrets)
      ? { variables: 'any' }
      : options;
  } catch {
    return { variables: 'any' };
  }
}

function toPath(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
