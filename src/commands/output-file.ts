/** Atomic writes of files: readers see the old or the new content, never a part. Devices and pipes are written directly. */
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Random } from '../environment/random.ts';
import { writeFileAtomically } from '../files/atomic-write.ts';

/** The resolved target of a write. Only a `file` is replaced; `mode` is that of the existing file. */
type Destination =
  | { readonly kind: 'file'; readonly file: string; readonly mode: number | undefined }
  | { readonly kind: 'device'; readonly file: string }
  | { readonly kind: 'descriptor'; readonly descriptor: number };

/** Names of open file descriptors. As paths they would replace the file that is being written, or fail for sockets. */
const openFile = /^\/(?:dev|proc\/self)\/(?:fd\/(\d{1,9})|(stdout)|(stderr))$/;
const maxLinks = 40;

/** Follows links. Throws EISDIR for a folder, ELOOP for circular links. */
function resolveDestination(file: string, links = 0): Destination {
  const [open, number, stdout] = openFile.exec(file) ?? [];
  if (open !== undefined) return { kind: 'descriptor', descriptor: Number(number ?? (stdout ? 1 : 2)) };
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (!stats) return { kind: 'file', file, mode: undefined };
  if (stats.isSymbolicLink()) {
    if (links === maxLinks) throw systemError('ELOOP');
    return resolveDestination(resolve(realpathSync(dirname(file)), readlinkSync(file)), links + 1);
  }
  if (stats.isDirectory()) throw systemError('EISDIR');
  return stats.isFile() ? { kind: 'file', file, mode: stats.mode & 0o7777 } : { kind: 'device', file };
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Creates the folder of `file`. Throws system errors that can be detected before writing. */
export function prepareOutputFile(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const destination = resolveDestination(file);
  if (destination.kind === 'device') accessSync(destination.file, constants.W_OK);
  if (destination.kind === 'file') accessSync(dirname(destination.file), constants.W_OK);
}

/**
 * Writes `text` to `file` and creates its folder. Links are followed, and an existing file keeps its mode; pipes and
 * devices are written to. Throws system errors, and then leaves nothing behind.
 */
export function writeOutputFile(file: string, text: string, random: Pick<Random, 'token'>): void {
  mkdirSync(dirname(file), { recursive: true });
  const destination = resolveDestination(file);
  if (destination.kind === 'file')
    writeFileAtomically(destination.file, text, { mode: 0o666, exactMode: destination.mode, random });
  else if (destination.kind === 'device') writeInto(destination.file, text);
  else writeFileSync(destination.descriptor, text);
}

/** Removes what an earlier writeOutputFile has left; pipes and devices stay. */
export function removeOutputFile(file: string): void {
  const destination = resolveDestination(file);
  if (destination.kind === 'file') rmSync(destination.file, { force: true });
}

/** A pipe without a reader is refused (ENXIO): opening it in the usual way would block forever. */
function writeInto(file: string, text: string): void {
  const probe = openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
  try {
    const descriptor = openSync(file, constants.O_WRONLY);
    try {
      writeFileSync(descriptor, text);
    } finally {
      closeSync(descriptor);
    }
  } finally {
    closeSync(probe);
  }
}

/** The code of a system error, such as `EACCES`. */
export function formatSystemErrorCode(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}
