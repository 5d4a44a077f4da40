/** Folders for stores that a test writes hundreds of times. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Linux has a file system in memory here. */
const memoryFolder = '/dev/shm';

/** Creates a folder below `TMPDIR` where that is set, otherwise in memory where the system has such a file system. */
export function createMemoryFolder(prefix: string): string {
  const usesMemory = process.env.TMPDIR === undefined && existsSync(memoryFolder);
  return mkdtempSync(join(usesMemory ? memoryFolder : tmpdir(), prefix));
}
