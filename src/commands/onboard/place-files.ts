/** `vp place-files`: writes files with secrets from standard input to a volume, so that they are in no argument list. */
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Static, Type } from '@sinclair/typebox';
import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { createValidator } from '../../http/schema/validator.ts';
import { writeSecretFile } from '../../secrets/key-file.ts';
import { formatSystemErrorCode } from '../output-file.ts';

const flags = {
  to: { type: 'string', placeholder: '<folder>', describe: 'target folder; other files in it are removed' },
} as const;

const FilesSchema = Type.Record(Type.String({ pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$' }), Type.String(), {
  additionalProperties: false,
  maxProperties: 32,
});
const filesValidator = createValidator<Static<typeof FilesSchema>>(FilesSchema);
const maxCharacters = 4_000_000;

/** Errors never quote the input, which has secrets. */
function parseFiles(input: string): ReadonlyMap<string, string> {
  if (input.length > maxCharacters) throw createInputError(`it is larger than ${maxCharacters} characters`);
  const value = parseJson(input);
  if (value === undefined) throw createInputError('it is not JSON');
  if (filesValidator.isValid(value)) return new Map(Object.entries(value));
  throw createInputError('it must be an object of at most 32 plain file names with a text each');
}

function parseJson(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return undefined;
  }
}

function createInputError(problem: string) {
  return vpError('PLACED_INPUT_INVALID', { problem });
}

function writeFiles(folder: string, requestedFiles: ReadonlyMap<string, string>): void {
  try {
    for (const [name, content] of requestedFiles) writeSecretFile(join(folder, name), content);
    for (const name of readdirSync(folder))
      if (!requestedFiles.has(name)) rmSync(join(folder, name), { recursive: true });
  } catch (error) {
    const reason = error instanceof VpError ? String(error.values.reason) : formatSystemErrorCode(error);
    throw vpError('PLACED_FOLDER_UNWRITABLE', { folder, reason }, { cause: error });
  }
}

export const placeFilesCommand = command({
  name: 'place-files',
  summary: 'for onboarding: write files from standard input to a folder',
  positionals: [],
  flags,
  examples: [['vp place-files --to /config < files.json', 'files.json: {"executor.key": "vpe_…"}']],
  notes:
    'For `vp onboard`, which runs it in a container. Reads a JSON object of file names and texts; each file is written atomically, ' +
    'with mode 0600. Prints nothing.',
  async run({ flags, environment }) {
    if (flags.to === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--to', placeholder: '<folder>' });
    writeFiles(resolve(environment.cwd, flags.to), parseFiles(await text(environment.streams.stdin)));
    return exitCode.done;
  },
});
