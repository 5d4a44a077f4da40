/** Files for people: a reader sees the old one or the new one, never a part. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes `text` to `file`, whose folder is made. Throws what the operating system says, and leaves nothing behind. */
export function writeWhole(file: string, text: string): void {
  const part = `${file}.part`;
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(part, text);
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** What the operating system said, such as `EACCES`. */
export function systemReason(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
}
