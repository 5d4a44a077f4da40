/** Writes a kit into a folder, or brings the kit there to this version. What else lies in the folder is left alone. */
import { chmod, copyFile, mkdir, readFile, realpath, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Program } from '../../environment/program.ts';
import type { Random } from '../../environment/random.ts';
import { userId } from '../../environment/user.ts';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';
import { type KitFile, kitFiles, manifestFile, programFile } from './kit-files.ts';
import { type Manifest, manifestText, stateOf } from './manifest.ts';

/** Where to, and with which program; undefined writes none. */
export type KitWish = {
  /** Absolute. */
  readonly folder: string;
  readonly program: Program | undefined;
  readonly random: Pick<Random, 'token'>;
};

/** What became of the files, by their names in the kit. */
export type KitWritten = {
  readonly folder: string;
  readonly version: string;
  /** Of the kit that was there; undefined where there was none. */
  readonly versionBefore: string | undefined;
  /** Of the program in the kit; undefined where it has none. */
  readonly platform: string | undefined;
  readonly changes: readonly { readonly name: string; readonly change: 'created' | 'changed' | 'removed' | 'kept' }[];
};

type Change = KitWritten['changes'][number];

/** Throws KIT_FOLDER_FOREIGN before anything is written, KIT_FOLDER_UNWRITABLE. */
export async function writeKit({ folder, program, random }: KitWish): Promise<KitWritten> {
  try {
    const state = await stateOf(folder);
    if (state.kind === 'foreign') throw foreign(folder, state.names);
    const before = state.kind === 'kit' ? state.manifest : undefined;
    const part = `.${random.token(6)}.part`;
    const changes: Change[] = [];
    for (const file of kitFiles()) changes.push(await put(folder, file, part));
    const isKept = program === undefined && before?.files.includes(programFile) === true && before.version === version;
    const platform = program?.platform ?? (isKept ? before.platform : null);
    if (program) changes.push(await putProgram(folder, program, part));
    else if (isKept) changes.push({ name: programFile, change: 'kept' });
    const files = [...changes.map(({ name }) => name), manifestFile];
    for (const name of before?.files ?? []) if (!files.includes(name)) changes.push(await takeAway(folder, name));
    const manifest: Manifest = { kit: 1, version, platform, files };
    const text = manifestText(manifest);
    changes.push(await put(folder, { name: manifestFile, text, isExecutable: false }, part));
    return { folder, version, versionBefore: before?.version, platform: platform ?? undefined, changes };
  } catch (error) {
    throw refusal(folder, error);
  }
}

function foreign(folder: string, names: readonly string[]) {
  const some = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
  return vpError('KIT_FOLDER_FOREIGN', { folder, names: some });
}

/** What the system refuses, with the user who may not; everything else as it is. */
function refusal(folder: string, error: unknown): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  const values = { folder, reason: String(error.code), user: userId === undefined ? '' : ` by user ${userId}` };
  return vpError('KIT_FOLDER_UNWRITABLE', values, { cause: error });
}

async function put(folder: string, { name, text, isExecutable }: KitFile, part: string): Promise<Change> {
  const file = join(folder, name);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  const mode = isExecutable ? 0o755 : 0o644;
  const isSame = before === text && ((await stat(file)).mode & 0o111) === (mode & 0o111);
  if (isSame) return { name, change: 'kept' };
  await replace(file, part, async (to) => {
    await writeFile(to, text);
    await chmod(to, mode);
  });
  return { name, change: before === undefined ? 'created' : 'changed' };
}

async function putProgram(folder: string, { file: own }: Program, part: string): Promise<Change> {
  const file = join(folder, programFile);
  const there = await realpath(file).catch(() => undefined);
  // The kit's own program runs.
  if (there === (await realpath(own))) return { name: programFile, change: 'kept' };
  if (there !== undefined && (await hasSameBytes(there, own))) return { name: programFile, change: 'kept' };
  await replace(file, part, async (to) => {
    await copyFile(own, to);
    await chmod(to, 0o755);
  });
  return { name: programFile, change: there === undefined ? 'created' : 'changed' };
}

async function hasSameBytes(one: string, other: string): Promise<boolean> {
  const [{ size }, { size: otherSize }] = [await stat(one), await stat(other)];
  return size === otherSize && (await readFile(one)).equals(await readFile(other));
}

/** Whoever looks finds the old file or the new one, never a part. */
async function replace(file: string, part: string, write: (to: string) => Promise<void>): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  try {
    await write(file + part);
    await rename(file + part, file);
  } catch (error) {
    await rm(file + part, { force: true });
    throw error;
  }
}

async function takeAway(folder: string, name: string): Promise<Change> {
  await rm(join(folder, name), { force: true });
  await rmdir(dirname(join(folder, name))).catch(() => undefined); // Other files lie there.
  return { name, change: 'removed' };
}
