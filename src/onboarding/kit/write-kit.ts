/** Writes a kit into a folder, or updates the kit there to this version. Other files of the folder are not touched. */
import { chmodSync, constants, copyFileSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Random } from '../../environment/random.ts';
import type { RunningBinary } from '../../environment/running-binary.ts';
import { userId } from '../../environment/user.ts';
import { version } from '../../environment/version.ts';
import { vpError } from '../../errors/vp-error.ts';
import { replaceFileUsing, syncFile, writeFileAtomically } from '../../files/atomic-write.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';
import { binaryFile, buildKitFiles, type KitFile, manifestFile } from './kit-files.ts';
import { formatManifest, inspectKitFolder, type KitManifest } from './manifest.ts';

/** Without `program` no binary is written. */
export type KitOptions = {
  /** Absolute. */
  readonly folder: string;
  readonly program: RunningBinary | undefined;
  readonly random: Pick<Random, 'token'>;
};

/** Result of writing a kit. */
export type KitWriteResult = {
  readonly folder: string;
  readonly version: string;
  /** The version of the replaced kit; undefined if there was none. */
  readonly versionBefore: string | undefined;
  /** The platform of the kit's binary; undefined if it has none. */
  readonly platform: string | undefined;
  readonly changes: readonly { readonly name: string; readonly change: 'created' | 'changed' | 'removed' | 'kept' }[];
};

type KitFileChange = KitWriteResult['changes'][number];

/** Throws KIT_FOLDER_FOREIGN (before anything is written), KIT_FOLDER_UNWRITABLE. */
export async function writeKit({ folder, program, random }: KitOptions): Promise<KitWriteResult> {
  try {
    const state = await inspectKitFolder(folder);
    if (state.kind === 'foreign') throw toForeignFolderError(folder, state.names);
    const before = state.kind === 'kit' ? state.manifest : undefined;
    const changes: KitFileChange[] = [];
    for (const file of buildKitFiles()) changes.push(await writeKitFile(folder, file, random));
    const keepsBinary =
      program === undefined && before?.files.includes(binaryFile) === true && before.version === version;
    const platform = program?.platform ?? (keepsBinary ? before.platform : null);
    if (program) changes.push(await writeKitBinary(folder, program, random));
    else if (keepsBinary) changes.push({ name: binaryFile, change: 'kept' });
    const files = [...changes.map(({ name }) => name), manifestFile];
    for (const name of before?.files ?? []) if (!files.includes(name)) changes.push(await removeKitFile(folder, name));
    const manifest: KitManifest = { kit: 1, version, platform, files };
    const text = formatManifest(manifest);
    changes.push(await writeKitFile(folder, { name: manifestFile, text, isExecutable: false }, random));
    return { folder, version, versionBefore: before?.version, platform: platform ?? undefined, changes };
  } catch (error) {
    throw toUnwritableError(folder, error);
  }
}

function toForeignFolderError(folder: string, names: readonly string[]) {
  const listedNames = names.slice(0, 3).join(', ') + (names.length > 3 ? ` and ${names.length - 3} more` : '');
  return vpError('KIT_FOLDER_FOREIGN', { folder, names: listedNames });
}

/** System errors become KIT_FOLDER_UNWRITABLE with the user id; other errors are returned as they are. */
function toUnwritableError(folder: string, error: unknown): unknown {
  const reason = getSystemErrorCode(error);
  if (reason === undefined) return error;
  const values = { folder, reason, user: userId === undefined ? '' : ` by user ${userId}` };
  return vpError('KIT_FOLDER_UNWRITABLE', values, { cause: error });
}

async function writeKitFile(
  folder: string,
  { name, text, isExecutable }: KitFile,
  random: Pick<Random, 'token'>,
): Promise<KitFileChange> {
  const file = join(folder, name);
  const before = await readFile(file, 'utf8').catch(() => undefined);
  const mode = isExecutable ? 0o755 : 0o644;
  const isSame = before === text && ((await stat(file)).mode & 0o111) === (mode & 0o111);
  if (isSame) return { name, change: 'kept' };
  await mkdir(dirname(file), { recursive: true });
  writeFileAtomically(file, text, { exactMode: mode, random });
  return { name, change: before === undefined ? 'created' : 'changed' };
}

async function writeKitBinary(
  folder: string,
  { file: binaryPath }: RunningBinary,
  random: Pick<Random, 'token'>,
): Promise<KitFileChange> {
  const file = join(folder, binaryFile);
  const existingFile = await realpath(file).catch(() => undefined);
  // This process runs the kit's own binary.
  if (existingFile === (await realpath(binaryPath))) return { name: binaryFile, change: 'kept' };
  if (existingFile !== undefined && (await haveSameBytes(existingFile, binaryPath)))
    return { name: binaryFile, change: 'kept' };
  const copyBinary = (partFile: string): void => {
    copyFileSync(binaryPath, partFile, constants.COPYFILE_EXCL);
    chmodSync(partFile, 0o755);
    syncFile(partFile);
  };
  await mkdir(dirname(file), { recursive: true });
  replaceFileUsing(file, copyBinary, random);
  return { name: binaryFile, change: existingFile === undefined ? 'created' : 'changed' };
}

async function haveSameBytes(first: string, second: string): Promise<boolean> {
  const [{ size }, { size: otherSize }] = [await stat(first), await stat(second)];
  return size === otherSize && (await readFile(first)).equals(await readFile(second));
}

async function removeKitFile(folder: string, name: string): Promise<KitFileChange> {
  await rm(join(folder, name), { force: true });
  await rmdir(dirname(join(folder, name))).catch(() => undefined); // Other files lie there.
  return { name, change: 'removed' };
}
