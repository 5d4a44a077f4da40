/** Files and folders of one schedule that are nowhere but in memory, as the calls of node:fs see them (sync-files.ts). */
import { basename, dirname } from 'node:path';
import type { SimProcess } from './sim-process.ts';
import { returnConnection, takeConnection, type WarmConnection } from './warm-connection.ts';

/** Every path below it is in memory. No real folder has this name. */
export const memoryRoot = '/vp-simulated-disk';

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

/** A file that is open as a database has its content in the connection. */
export class MemoryFile {
  static #count = 0;
  readonly inode: number;
  /** Grows with each change. */
  changedMs: number;
  readonly #kind: string;
  #content: Buffer;
  #connection: WarmConnection | undefined;

  constructor(path: string, content: Buffer) {
    this.#kind = basename(path).replace(/\.part$/, '');
    this.#content = content;
    this.inode = MemoryFile.#nextNumber();
    this.changedMs = this.inode;
  }

  static #nextNumber(): number {
    MemoryFile.#count += 1;
    return MemoryFile.#count;
  }

  get content(): Buffer {
    return this.#connection?.read() ?? this.#content;
  }

  set content(content: Buffer) {
    this.discard();
    this.#content = content;
    this.changedMs = MemoryFile.#nextNumber();
  }

  /** Nobody needs the size of one that is open. */
  get size(): number {
    return this.#content.length;
  }

  connect(): WarmConnection {
    this.#connection ??= takeConnection(this.#kind, this.#content);
    return this.#connection;
  }

  recordChange(): void {
    this.changedMs = MemoryFile.#nextNumber();
  }

  /** Its content is not needed any more. */
  discard(): void {
    if (this.#connection) returnConnection(this.#kind, this.#connection);
    this.#connection = undefined;
  }
}

type Descriptor = { readonly path: string; readonly file: MemoryFile; readonly process: SimProcess | undefined };

/** Real descriptors are smaller. */
const firstDescriptor = 1_000_000;

export class MemoryFiles {
  readonly #files = new Map<string, MemoryFile>();
  readonly #folders = new Set([memoryRoot]);
  readonly #descriptors = new Map<number, Descriptor>();
  #nextDescriptor = firstDescriptor;

  exists(path: string): boolean {
    return this.#files.has(path) || this.#folders.has(path);
  }

  isFolder(path: string): boolean {
    return this.#folders.has(path);
  }

  find(path: string): MemoryFile | undefined {
    return this.#files.get(path);
  }

  get(path: string): MemoryFile {
    const file = this.#files.get(path);
    if (!file) throw systemError('ENOENT', path);
    return file;
  }

  list(folder: string): string[] {
    return [...this.#files.keys()].filter((path) => dirname(path) === folder).map((path) => basename(path));
  }

  addFolder(path: string): void {
    this.#folders.add(path);
  }

  /** Creates it, or replaces what is in it. */
  write(path: string, content: Buffer): void {
    const file = this.#files.get(path);
    if (file) file.content = content;
    else this.#files.set(path, new MemoryFile(path, content));
  }

  /** `process`: nothing that it writes after its end has an effect. */
  open(path: string, flags: string | number, isCreated: boolean, process: SimProcess | undefined): number {
    if (flags === 'wx' && this.exists(path)) throw systemError('EEXIST', path);
    if (isCreated && !this.exists(path)) this.write(path, Buffer.alloc(0));
    const file = this.isFolder(path) ? new MemoryFile(path, Buffer.alloc(0)) : this.get(path);
    this.#nextDescriptor += 1;
    this.#descriptors.set(this.#nextDescriptor, { path, file, process });
    return this.#nextDescriptor;
  }

  /** Undefined for a descriptor of the real system. */
  findDescriptor(descriptor: number): Descriptor | undefined {
    if (descriptor < firstDescriptor) return undefined;
    const entry = this.#descriptors.get(descriptor);
    if (!entry) throw systemError('EBADF', String(descriptor));
    return entry;
  }

  closeDescriptor(descriptor: number): void {
    this.#descriptors.delete(descriptor);
  }

  remove(path: string): void {
    this.#files.get(path)?.discard();
    this.#files.delete(path);
  }

  /** To another name, or with `isLink` to a second one. */
  move(from: string, to: string, isLink = false): void {
    const file = this.get(from);
    const replaced = this.#files.get(to);
    if (!isLink) this.#files.delete(from);
    this.#files.set(to, file);
    if (![...this.#files.values()].some((other) => other === replaced)) replaced?.discard();
  }

  /** All connections are free again. */
  discardAll(): void {
    for (const file of this.#files.values()) file.discard();
  }
}
