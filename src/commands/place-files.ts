/** `vp place-files`: files with secrets from standard input into a volume, so that they stand in no argument list. */
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { type Static, Type } from '@sinclair/typebox';
import { exitCode } from '../errors/exit-code.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { validatorOf } from '../http/validator.ts';
import { writeSecretFile } from '../secrets/key-file.ts';
import { command } from './command.ts';
import { systemReason } from './whole-file.ts';

const flags = {
  to: { type: 'string', placeholder: '<folder>', describe: 'where the files go; files that are not named are removed' },
} as const;

const Files = Type.Record(Type.String({ pattern: '^(?!\\.{1,2}$)[A-Za-z0-9._-]{1,64}$' }), Type.String(), {
  additionalProperties: false,
  maxProperties: 32,
});
const files = validatorOf<Static<typeof Files>>(Files);
const largestCharacters = 4_000_000;

/** Errors never quote what was read. */
function read(input: string): ReadonlyMap<string, string> {
  if (input.length > largestCharacters) throw refused(`it is larger than ${largestCharacters} characters`);
  const value = parsed(input);
  if (value === undefined) throw refused('it is no JSON');
  if (files.accepts(value)) return new Map(Object.entries(value));
  throw refused('it is no object of at most 32 plain file names with a text each');
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return undefined;
  }
}

function refused(problem: string) {
  return vpError('PLACED_INPUT_INVALID', { problem });
}

function place(folder: string, wanted: ReadonlyMap<string, string>): void {
  try {
    for (const [name, content] of wanted) writeSecretFile(join(folder, name), content);
    for (const name of readdirSync(folder)) if (!wanted.has(name)) rmSync(join(folder, name), { recursive: true });
  } catch (error) {
    const reason = error instanceof VpError ? String(error.values.reason) : systemReason(error);
    throw vpError('PLACED_FOLDER_UNWRITABLE', { folder, reason }, { cause: error });
  }
}

/** The command. */
export const placeFilesCommand = command({
  name: 'place-files',
  summary: 'for onboarding: put files from standard input into a folder',
  positionals: [],
  flags,
  examples: [['vp place-files --to /config < files.json', 'files.json: {"executor.key": "vpe_…"}']],
  notes:
    'For `vp onboard`, which runs it in a container. Reads a JSON object, file name to text; each file is written whole, ' +
    'of mode 0600. Prints nothing.',
  async run({ flags, environment }) {
    if (flags.to === undefined) throw vpError('FLAG_VALUE_MISSING', { flag: '--to', placeholder: '<folder>' });
    place(resolve(environment.cwd, flags.to), read(await text(environment.streams.stdin)));
    return exitCode.done;
  },
});
