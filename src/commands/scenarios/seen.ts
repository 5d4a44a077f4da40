/**
 * Which revision of the catalogue each file was last seen to be, by push and pull, so that a push on top of an older one
 * is noticed. Kept per user and control plane, beside no file of the project: who clones it has seen nothing yet.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { writeWhole } from '../whole-file.ts';

/** The catalogue's revision and the hash of its text. */
export type Seen = { readonly revision: number; readonly sha256: string };

/** What is remembered of files, by scenario ID and file. */
export type SeenFiles = {
  of(id: string, file: string): Seen | undefined;
  put(id: string, file: string, seen: Seen): void;
  /** Writes what was put; what cannot be kept is only missed at the next push. */
  save(): void;
};

/** Where it is remembered: `<data>/scenarios/<control plane>/<instance>.json`. */
export function seenFile({ data }: Pick<Environment['paths'], 'data'>, url: string, instance: string): string {
  const { host, pathname } = new URL(url);
  const place = `${host}${pathname}`.replaceAll(/[^A-Za-z0-9.-]+/g, '_').replace(/_$/, '');
  return join(data, 'scenarios', place, `${instance}.json`);
}

/** What is remembered for `instance` of the control plane at `url`. */
export function seenFiles(
  { paths, cwd, random }: Pick<Environment, 'paths' | 'cwd' | 'random'>,
  url: string,
  instance: string,
): SeenFiles {
  const kept = seenFile(paths, url, instance);
  const known = read(kept);
  const keyOf = (id: string, file: string): string => `${id} ${resolve(cwd, file)}`;
  return {
    of: (id, file) => known.get(keyOf(id, file)),
    put: (id, file, seen) => void known.set(keyOf(id, file), seen),
    save: () => write(kept, known, random),
  };
}

function read(file: string): Map<string, Seen> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(Object.entries(value).filter((entry): entry is [string, Seen] => isSeen(entry[1])));
  } catch {
    return new Map();
  }
}

function isSeen(value: unknown): value is Seen {
  if (typeof value !== 'object' || value === null || !('revision' in value) || !('sha256' in value)) return false;
  return typeof value.revision === 'number' && typeof value.sha256 === 'string';
}

function write(file: string, known: ReadonlyMap<string, Seen>, random: Environment['random']): void {
  try {
    writeWhole(file, JSON.stringify(Object.fromEntries(known)), random);
  } catch {
    // The next push of these files is refused as if they were new here; nothing is lost.
  }
}
