/** Files for people: a reader sees the old one or the new one, never a part. What is no file stays what it is. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Random } from '../environment/random.ts';

/** Where a text goes in the end. Only a `file` is replaced, and `mode` is that of the one which is there. */
type Destination =
  | { readonly kind: 'file'; readonly file: string; readonly mode: number | undefined }
  | { readonly kind: 'device'; readonly file: string }
  | { readonly kind: 'descriptor'; readonly descriptor: number };

/** Open files under names: as paths they lead to a file that is being written, or, as sockets, nowhere. */
const openFile = /^\/(?:dev|proc\/self)\/(?:fd\/(\d{1,9})|(stdout)|(stderr))$/;
const mostLinks = 40;

/** What `file` leads to. Throws EISDIR for a folder, ELOOP for links in a circle. */
function destinationOf(file: string, links = 0): Destination {
  const [open, number, stdout] = openFile.exec(file) ?? [];
  if (open !== undefined) return { kind: 'descriptor', descriptor: Number(number ?? (stdout ? 1 : 2)) };
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (!found) return { kind: 'file', file, mode: undefined };
  if (found.isSymbolicLink()) {
    if (links === mostLinks) throw systemError('ELOOP');
    return destinationOf(resolve(realpathSync(dirname(file)), readlinkSync(file)), links + 1);
  }
  if (found.isDirectory()) throw systemError('EISDIR');
  return found.isFile() ? { kind: 'file', file, mode: found.mode & 0o7777 } : { kind: 'device', file };
}

function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Makes the folder of `file`. Throws what the operating system says where `file` cannot be written, as far as it shows. */
export function prepareWhole(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const destination = destinationOf(file);
  if (destination.kind === 'device') accessSync(destination.file, constants.W_OK);
  if (destination.kind === 'file') accessSync(dirname(destination.file), constants.W_OK);
}

/**
 * Writes `text` to `file`, whose folder is made. A link keeps leading to its file, and a file keeps its mode; pipes and
 * devices are written to. Throws what the operating system says, and leaves nothing behind.
 */
export function writeWhole(file: string, text: string, random: Pick<Random, 'token'>): void {
  mkdirSync(dirname(file), { recursive: true });
  const destination = destinationOf(file);
  if (destination.kind === 'file') replace(destination.file, destination.mode, text, random);
  else if (destination.kind === 'device') writeInto(destination.file, text);
  else writeFileSync(destination.descriptor, text);
}

function replace(file: string, mode: number | undefined, text: string, random: Pick<Random, 'token'>): void {
  const part = `${file}.${random.token(9)}.part`;
  try {
    writeFileSync(part, text, { flag: 'wx', mode: mode ?? 0o666 });
    if (mode !== undefined && (statSync(part).mode & 0o7777) !== mode) chmodSync(part, mode);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** A pipe that nobody reads is refused (ENXIO): opening it the usual way would wait for ever. */
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

/** What the operating system said, such as `EACCES`. */
export function systemReason(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}
