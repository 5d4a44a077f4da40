/**
 * The calls of node:fs that src/ makes. Paths below `memoryRoot` are those of a disk in memory; all others are the system's. What
 * crashed processes of the simulation left open there is closed at its end: thousands of schedules would run out of files. Not
 * before, because the system gives the number of a closed file to the next one, to which code of the ended process would write.
 */
import * as system from 'node:fs';
import { getActiveWorld } from './active-world.ts';
import { type MemoryFiles, memoryRoot } from './memory-files.ts';
import { CrashError } from './sim-process.ts';

export * from 'node:fs';

/** The path of each open file of the real system. */
const open = new Map<number, string>();

function getMemory(path: unknown): MemoryFiles | undefined {
  return typeof path === 'string' && path.startsWith(memoryRoot) ? getActiveWorld()?.disk.files : undefined;
}

function findOpenFile(descriptor: unknown) {
  return typeof descriptor === 'number' ? getActiveWorld()?.disk.files?.findDescriptor(descriptor) : undefined;
}

export function openSync(path: string, flags: string | number = 'r', mode?: number): number {
  const world = getActiveWorld();
  const isCreated = typeof flags === 'number' ? (flags & system.constants.O_CREAT) !== 0 : /^[wa]/.test(flags);
  const memory = getMemory(path);
  if (memory) return memory.open(path, flags, isCreated, world?.scheduler.current);
  const descriptor = system.openSync(path, flags, mode);
  if (!world) return descriptor;
  open.set(descriptor, path);
  return descriptor;
}

/** At the end of a simulation. */
export function closeOpenFiles(): void {
  for (const descriptor of [...open.keys()]) closeSync(descriptor);
}

export function closeSync(descriptor: number): void {
  if (findOpenFile(descriptor)) getActiveWorld()?.disk.files?.closeDescriptor(descriptor);
  else if (!getActiveWorld() || open.delete(descriptor)) system.closeSync(descriptor);
}

/** From the begin of the file. */
export function readSync(descriptor: number, buffer: Uint8Array, offset: number, length: number, position: number) {
  const content = findOpenFile(descriptor)?.file.content;
  if (!content) return system.readSync(descriptor, buffer, offset, length, position);
  return content.copy(buffer, offset, position, position + length);
}

export function writeSync(
  descriptor: number,
  bytes: Uint8Array,
  offset: number,
  length: number,
  position: number,
): number {
  return changeFile(descriptor, (entry) => {
    if (!entry) return system.writeSync(descriptor, bytes, offset, length, position);
    const { content } = entry.file;
    const changed = Buffer.alloc(Math.max(content.length, position + length));
    content.copy(changed);
    changed.set(bytes.subarray(offset, offset + length), position);
    entry.file.content = changed;
    return length;
  });
}

export function ftruncateSync(descriptor: number, length: number): void {
  changeFile(descriptor, (entry) => {
    if (entry) entry.file.content = Buffer.from(entry.file.content.subarray(0, length));
    else system.ftruncateSync(descriptor, length);
    return 0;
  });
}

/** The files of recorded calls are effects of their process, on a disk that may be full; nothing depends on positions of stores. */
function changeFile(descriptor: number, change: (entry: ReturnType<typeof findOpenFile>) => number): number {
  const entry = findOpenFile(descriptor);
  const world = getActiveWorld();
  const path = entry?.path ?? open.get(descriptor);
  if (!world || !path?.endsWith('.recent')) return entry?.process?.isAlive === false ? 0 : change(entry);
  const process = entry?.process ?? world.scheduler.current;
  if (process?.mayContinue('before a change of a file') === false) throw new CrashError();
  const fault = world.disk.find(path)?.fault;
  if (fault)
    throw Object.assign(new Error(fault), { code: fault === 'SQLITE_FULL' ? 'ENOSPC' : 'EIO', syscall: 'write' });
  const result = change(entry);
  process?.mayContinue('after a change of a file');
  return result;
}

/** At once: nothing is really synced (sqlite.ts). */
export function fdatasync(_descriptor: number, onDone: (error: null) => void): void {
  onDone(null);
}

export function fdatasyncSync(): void {}

export function fsyncSync(descriptor: number): void {
  if (!findOpenFile(descriptor)) system.fsyncSync(descriptor);
}

export function existsSync(path: string): boolean {
  return getMemory(path)?.exists(path) ?? system.existsSync(path);
}

export function statSync(path: string, options?: system.StatSyncOptions) {
  const memory = getMemory(path);
  if (!memory) return system.statSync(path, options);
  const file = options?.throwIfNoEntry === false ? memory.find(path) : memory.get(path);
  if (!file) return undefined;
  const { size, inode, changedMs } = file;
  return options?.bigint
    ? { ino: BigInt(inode), birthtimeNs: BigInt(inode), size: BigInt(size) }
    : { ino: inode, size, mtimeMs: changedMs };
}

export function readFileSync(path: string, options?: BufferEncoding): string | Buffer {
  const content = getMemory(path)?.get(path).content;
  if (!content) return options ? system.readFileSync(path, options) : system.readFileSync(path);
  return options ? content.toString(options) : content;
}

export function writeFileSync(path: string | number, data: string, options?: object) {
  const memory = getMemory(path);
  const entry = findOpenFile(path);
  if (memory && typeof path === 'string') memory.write(path, Buffer.from(data));
  else if (entry) entry.file.content = Buffer.from(data);
  else system.writeFileSync(path, data, options as system.WriteFileOptions);
}

export function mkdirSync(path: string, options?: system.MakeDirectoryOptions): void {
  const memory = getMemory(path);
  if (memory) memory.addFolder(path);
  else system.mkdirSync(path, options);
}

export function rmSync(path: string, options?: system.RmOptions): void {
  const memory = getMemory(path);
  if (memory) memory.remove(path);
  else system.rmSync(path, options);
}

export function renameSync(from: string, to: string): void {
  const memory = getMemory(from);
  if (memory) memory.move(from, to);
  else system.renameSync(from, to);
}

export function linkSync(from: string, to: string): void {
  const memory = getMemory(from);
  if (memory) memory.move(from, to, true);
  else system.linkSync(from, to);
}

export function copyFileSync(from: string, to: string, mode?: number): void {
  const memory = getMemory(from);
  if (memory) memory.write(to, memory.get(from).content);
  else system.copyFileSync(from, to, mode);
}

export function chmodSync(path: string, mode: number): void {
  if (!getMemory(path)) system.chmodSync(path, mode);
}
