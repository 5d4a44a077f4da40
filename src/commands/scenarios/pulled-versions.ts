/**
 * Remembers which revision of the catalogue each file had at the last push or pull, so that a push based on an older one is
 * detected. Stored per user and control plane, not in the project: a fresh clone has no versions yet.
 */
import { readFileSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { isObject } from '../../json/json-object.ts';
import { writeOutputFile } from '../output-file.ts';

export type PulledVersion = { readonly revision: number; readonly sha256: string };

/** By scenario ID and file. */
export type PulledVersions = {
  get(id: string, file: string): PulledVersion | undefined;
  set(id: string, file: string, version: PulledVersion): void;
  /** Writes the changes. Write errors are ignored: the next push of these files is then refused. */
  save(): void;
};

/** The file of an instance: `<data>/scenarios/<control plane>/<instance>.json`. */
function pulledVersionsFile({ data }: Pick<Environment['paths'], 'data'>, url: string, instance: string): string {
  const { host, pathname } = new URL(url);
  const controlPlaneName = `${host}${pathname}`.replaceAll(/[^A-Za-z0-9.-]+/g, '_').replace(/_$/, '');
  return join(data, 'scenarios', controlPlaneName, `${instance}.json`);
}

export function openPulledVersions(
  { paths, cwd, random }: Pick<Environment, 'paths' | 'cwd' | 'random'>,
  url: string,
  instance: string,
): PulledVersions {
  const path = pulledVersionsFile(paths, url, instance);
  const entries = read(path);
  const createKey = (id: string, file: string): string => `${id} ${resolve(cwd, file)}`;
  return {
    get: (id, file) => entries.get(createKey(id, file)),
    set: (id, file, version) => void entries.set(createKey(id, file), version),
    save: () => write(path, entries, random),
  };
}

/** Removes the record of an instance that is torn down, and the folders around it as they become empty. */
export function removePulledVersions({ paths }: Pick<Environment, 'paths'>, url: string, instance: string): void {
  const file = pulledVersionsFile(paths, url, instance);
  rmSync(file, { force: true });
  try {
    rmdirSync(dirname(file));
    rmdirSync(dirname(dirname(file)));
  } catch {
    // Other instances have files there.
  }
}

function read(file: string): Map<string, PulledVersion> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return new Map();
    return new Map(
      Object.entries(value).filter((entry): entry is [string, PulledVersion] => isPulledVersion(entry[1])),
    );
  } catch {
    return new Map();
  }
}

function isPulledVersion(value: unknown): value is PulledVersion {
  if (!isObject(value) || !('revision' in value) || !('sha256' in value)) return false;
  return typeof value.revision === 'number' && typeof value.sha256 === 'string';
}

function write(file: string, entries: ReadonlyMap<string, PulledVersion>, random: Environment['random']): void {
  try {
    writeOutputFile(file, JSON.stringify(Object.fromEntries(entries)), random);
  } catch {
    // The next push of these files is refused as if they were new here; nothing is lost.
  }
}
