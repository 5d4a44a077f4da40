/**
 * Files of the user that are changed in place: atomically, through links, with their mode, and without overwriting what another
 * process has written meanwhile.
 */
import { link, readdir, readFile, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pid as ownPid } from 'node:process';
import { isProcessAlive } from '../../environment/process-id.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { createSyncedFile, syncFolder } from '../../files/atomic-write.ts';
import { getSystemErrorCode } from '../../files/system-error.ts';

/** The text of a file as it was read; undefined where there is none. */
export type FileText = string | undefined;

/** Returns the new text of a file; undefined removes the file. */
export type FileRewriter = (text: FileText) => FileText;

/** Mode of a new file: readable by this user only, or by all. */
export type NewFileMode = 0o600 | 0o644;

const attempts = 5;

/** The file that `file` links to; `file` itself where it is not a link or does not exist. */
export async function resolveTarget(file: string): Promise<string> {
  return realpath(file).catch(async (error: unknown) => {
    if (getSystemErrorCode(error) !== 'ENOENT') throw toUnreadableError(file, error);
    return join(await realpath(dirname(file)).catch(() => dirname(file)), basename(file));
  });
}

/** Reads UTF-8 text with its byte order mark. Throws FOLDER_FILE_UNREADABLE. */
export async function readUtf8(file: string): Promise<FileText> {
  const bytes = await readBytes(file);
  return bytes && decodeUtf8(file, bytes);
}

async function readBytes(file: string): Promise<Buffer | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (getSystemErrorCode(error) === 'ENOENT') return undefined;
    throw toUnreadableError(file, error);
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(file: string, bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw vpError('FOLDER_FILE_UNREADABLE', { file, reason: 'it is not valid UTF-8' }, { cause });
  }
}

/**
 * Rewrites a file and returns its text before and after. A new file gets `mode`. If another process writes meanwhile, `rewrite`
 * is called again with the new content. Throws FOLDER_FILE_UNREADABLE, FOLDER_FILE_UNWRITABLE, FOLDER_FILE_BUSY,
 * and what `rewrite` throws.
 */
export async function rewriteFile(
  file: string,
  rewrite: FileRewriter,
  random: Pick<Random, 'token'>,
  mode: NewFileMode = 0o600,
): Promise<{ before: FileText; after: FileText }> {
  const target = await resolveTarget(file);
  await removeAbandonedParts(target);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const bytes = await readBytes(target);
    const before = bytes && decodeUtf8(file, bytes);
    const after = rewrite(before);
    if (after === before || (await replaceFile({ target, file, mode }, bytes, after, random))) return { before, after };
  }
  throw vpError('FOLDER_FILE_BUSY', { file });
}

/** Returns false, without writing, if the file has changed since it was read. */
async function replaceFile(
  { target, file, mode }: { readonly target: string; readonly file: string; readonly mode: NewFileMode },
  before: Buffer | undefined,
  after: FileText,
  random: Pick<Random, 'token'>,
): Promise<boolean> {
  const partFile = join(dirname(target), formatPartName(target, ownPid, random.token(6)));
  try {
    if (after !== undefined) await createPart(partFile, after, target, mode);
    if (!isSameContent(await readBytes(target), before)) return false;
    if (after === undefined) await unlink(target);
    // A file that another process has created meanwhile must not be replaced.
    else if (before === undefined) await link(partFile, target);
    else await rename(partFile, target);
    syncFolder(dirname(target));
    return true;
  } catch (error) {
    if (getSystemErrorCode(error) === 'EEXIST') return false;
    const reason = getSystemErrorCode(error);
    throw reason === undefined ? error : vpError('FOLDER_FILE_UNWRITABLE', { file, reason }, { cause: error });
  } finally {
    await rm(partFile, { force: true }).catch(() => undefined);
  }
}

/** Name of the file that process `writer` writes before it replaces `target`. */
const formatPartName = (target: string, writer: number, token: string): string =>
  `.${basename(target)}.${writer}-${token}.part`;

/** Removes what processes that were killed while they wrote `target` have left. */
async function removeAbandonedParts(target: string): Promise<void> {
  const folder = dirname(target);
  for (const name of await readdir(folder).catch(() => [])) {
    const [, writer, token] = name.match(/\.(\d+)-([\w-]{8})\.part$/) ?? [];
    if (writer === undefined || token === undefined || isProcessAlive(Number(writer))) continue;
    if (name !== formatPartName(target, Number(writer), token)) continue;
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** Creates the new text next to the old file, with its mode and, where permitted, its owner. */
async function createPart(partFile: string, text: string, target: string, mode: NewFileMode): Promise<void> {
  const stats = await stat(target).catch(() => undefined);
  createSyncedFile(partFile, text, { mode, owner: stats, exactMode: stats && stats.mode & 0o7777 });
}

function isSameContent(first: Buffer | undefined, second: Buffer | undefined): boolean {
  return first === undefined || second === undefined ? first === second : first.equals(second);
}

function toUnreadableError(file: string, error: unknown) {
  const reason = getSystemErrorCode(error);
  return reason === undefined ? error : vpError('FOLDER_FILE_UNREADABLE', { file, reason }, { cause: error });
}
