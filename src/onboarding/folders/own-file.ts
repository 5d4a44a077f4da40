/**
 * Files of the user that are changed in place: written whole or not at all, through links, with their mode, and never over
 * what another program has written meanwhile.
 */
import { link, open, readFile, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';

/** The text of a file as it was read; undefined where there is none. */
export type FileText = string | undefined;

/** What becomes of a file: another text, or none (`undefined` takes the file away). */
export type Rewrite = (text: FileText) => FileText;

/** Who may read a new file: only this user, or everybody, as the user's own editor would have it. */
export type NewFileMode = 0o600 | 0o644;

const attempts = 5;

/** The file that `file` leads to, through links; the file itself where there is none. */
export async function targetOf(file: string): Promise<string> {
  return realpath(file).catch(async (error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw unreadable(file, error);
    return join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file));
  });
}

/** Reads a text in UTF-8; a byte order mark stays in it. Throws FOLDER_FILE_UNREADABLE. */
export async function readText(file: string): Promise<FileText> {
  const bytes = await readBytes(file);
  return bytes && decoded(file, bytes);
}

async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(file, error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(file: string, bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw vpError('FOLDER_FILE_UNREADABLE', { file, reason: 'it is no UTF-8' }, { cause });
  }
}

/**
 * Rewrites a file and gives what it was and what it is. A new file gets `mode`. Where another program writes meanwhile,
 * `rewrite` is asked again with what that wrote. Throws FOLDER_FILE_UNREADABLE, FOLDER_FILE_UNWRITABLE, FOLDER_FILE_BUSY,
 * and what `rewrite` throws.
 */
export async function rewriteFile(
  file: string,
  rewrite: Rewrite,
  random: Pick<Random, 'token'>,
  mode: NewFileMode = 0o600,
): Promise<{ before: FileText; after: FileText }> {
  const target = await targetOf(file);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const bytes = await readBytes(target);
    const before = bytes && decoded(file, bytes);
    const after = rewrite(before);
    if (after === before || (await replaced({ target, file, mode }, bytes, after, random))) return { before, after };
  }
  throw vpError('FOLDER_FILE_BUSY', { file });
}

/** False where the file is no longer what was read; then nothing was written. */
async function replaced(
  { target, file, mode }: { readonly target: string; readonly file: string; readonly mode: NewFileMode },
  before: Buffer | undefined,
  after: FileText,
  random: Pick<Random, 'token'>,
): Promise<boolean> {
  const part = join(dirname(target), `.${basename(target)}.${random.token(6)}.part`);
  try {
    if (after !== undefined) await writePart(part, after, target, mode);
    if (!same(await readBytes(target), before)) return false;
    if (after === undefined) await unlink(target);
    // A name that came into being meanwhile is not taken over.
    else if (before === undefined) await link(part, target);
    else await rename(part, target);
    await syncFolder(dirname(target));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    const reason = codeOf(error);
    throw reason === undefined ? error : vpError('FOLDER_FILE_UNWRITABLE', { file, reason }, { cause: error });
  } finally {
    await rm(part, { force: true }).catch(() => undefined);
  }
}

/** The new text beside the old one, with its mode and, where that is allowed, its owner. */
async function writePart(part: string, text: string, target: string, mode: NewFileMode): Promise<void> {
  const found = await stat(target).catch(() => undefined);
  const handle = await open(part, 'wx', mode);
  try {
    await handle.writeFile(text);
    if (found) await handle.chown(found.uid, found.gid).catch(() => undefined);
    if (found) await handle.chmod(found.mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a new name survive a power cut; Windows journals renames and syncs no folders. */
async function syncFolder(folder: string): Promise<void> {
  if (sep !== '/') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function same(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}

/** What the system calls its refusal; undefined for anything else. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'syscall' in error && 'code' in error ? String(error.code) : undefined;
}

function unreadable(file: string, error: unknown) {
  const reason = codeOf(error);
  return reason === undefined ? error : vpError('FOLDER_FILE_UNREADABLE', { file, reason }, { cause: error });
}
