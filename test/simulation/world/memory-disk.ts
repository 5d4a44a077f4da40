/**
 * The disk of most schedules: everything is in memory, and stores are open in connections that outlive schedules. Its traces
 * are those of the file disk. It has no write-ahead log, of which a power cut could take a part, and cannot create a store.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Disk, type DiskFolder, volatileFile } from './disk.ts';
import { MemoryFiles, memoryRoot } from './memory-files.ts';

type TemplateFile = { readonly name: string; readonly content: Buffer };

/** Templates are read once. */
const templates = new Map<string, readonly TemplateFile[]>();

function readTemplate(folder: string): readonly TemplateFile[] {
  const cached = templates.get(folder);
  if (cached) return cached;
  const names = readdirSync(folder).filter((name) => !volatileFile.test(name));
  const files = names.map((name) => ({ name, content: readFileSync(join(folder, name)) }));
  templates.set(folder, files);
  return files;
}

export class MemoryDisk implements Disk {
  readonly files = new MemoryFiles();
  readonly #folders = new Map<string, DiskFolder>();
  #isCopying = true;

  createFolder(source?: string, identity?: string): DiskFolder {
    const folder = this.#addFolder(identity);
    if (source !== undefined)
      for (const { name, content } of this.#listFiles(source)) this.files.write(join(folder.path, name), content);
    return folder;
  }

  find(file: string): DiskFolder | undefined {
    return this.#folders.get(file.slice(0, file.lastIndexOf('/')));
  }

  stopCopying(): void {
    this.#isCopying = false;
  }

  copyFolder(source: DiskFolder): DiskFolder {
    if (!this.#isCopying) return source;
    return Object.assign(this.createFolder(source.path, source.identity), { fault: source.fault });
  }

  /** The files themselves, because nothing of the process that had them happens any more. */
  continueFolder(source: DiskFolder): DiskFolder {
    if (!this.#isCopying) return source;
    const folder = Object.assign(this.#addFolder(source.identity), { fault: source.fault });
    for (const name of this.files.list(source.path)) {
      const path = join(source.path, name);
      if (volatileFile.test(name)) this.files.remove(path);
      else this.#continueFile(path, join(folder.path, name));
    }
    return folder;
  }

  cloneFolder(source: DiskFolder): DiskFolder {
    return this.createFolder(source.path);
  }

  completeCopy(): void {}

  /** Every commit is in the file at once. */
  loseUnsynced(): void {}
  recordSync(): void {}
  discardLog(): void {}

  remove(): void {
    this.files.discardAll();
  }

  #addFolder(identity?: string): DiskFolder {
    const number = String(this.#folders.size + 1);
    const path = join(memoryRoot, number);
    const folder: DiskFolder = { path, identity: identity ?? number, fault: undefined, syncedLogBytes: new Map() };
    this.files.addFolder(path);
    this.#folders.set(path, folder);
    return folder;
  }

  /** Without what ends with a process. */
  #listFiles(source: string): readonly TemplateFile[] {
    if (!source.startsWith(memoryRoot)) return readTemplate(source);
    const names = this.files.list(source).filter((name) => !volatileFile.test(name));
    return names.map((name) => ({ name: basename(name), content: this.files.get(join(source, name)).content }));
  }

  /** It looks changed, as a copy of it would, so that its store is checked when it is opened. */
  #continueFile(from: string, to: string): void {
    this.files.move(from, to);
    this.files.get(to).recordChange();
  }
}
