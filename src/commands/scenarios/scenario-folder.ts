/** Compares a folder of scenarios with a catalogue. */
import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import type { ScenarioEntry } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { findScenarioId, parseFile } from './read-scenarios.ts';
import { pathExists, readScenarioFiles, type ScenarioFile } from './scenario-files.ts';

/** Identifies a file of this machine at the control plane, which learns neither the machine's name nor the path. */
export function computeImportSource({ hostname, cwd }: Pick<Environment, 'hostname' | 'cwd'>, file: string): string {
  return hash('sha256', `${hostname}\0${resolve(cwd, file)}`);
}

/** The files of a folder by scenario ID, without files that have none; empty if the folder is missing or empty. */
export function readFilesById(folder: string, cwd: string): Map<string, ScenarioFile> {
  const files = pathExists(folder, cwd) ? readScenariosIn(folder, cwd) : [];
  const filesByScenarioId = new Map<string, ScenarioFile>();
  for (const file of files) {
    const id = findScenarioId(parseFile(file, { variables: 'any' }));
    if (id !== undefined && !filesByScenarioId.has(id)) filesByScenarioId.set(id, file);
  }
  return filesByScenarioId;
}

function readScenariosIn(folder: string, cwd: string): ScenarioFile[] {
  return readScenarioFiles([folder], cwd, (error) => {
    if (error.code !== 'SCENARIO_FOLDER_EMPTY') throw error;
  });
}

/** A scenario in the catalogue and in the folder; undefined where it is missing. */
export type ScenarioPair = {
  readonly id: string;
  readonly entry: ScenarioEntry | undefined;
  readonly file: ScenarioFile | undefined;
};

/** Every scenario of either side, sorted by ID. */
export function pairScenariosById(
  entries: readonly ScenarioEntry[],
  files: ReadonlyMap<string, ScenarioFile>,
): ScenarioPair[] {
  const byId = new Map(entries.map((entry) => [entry.scenario_id, entry]));
  const ids = [...new Set([...byId.keys(), ...files.keys()])].sort();
  return ids.map((id) => ({ id, entry: byId.get(id), file: files.get(id) }));
}

export function hasSameText({ entry, file }: ScenarioPair): boolean {
  return entry !== undefined && file !== undefined && entry.sha256 === hash('sha256', file.text);
}
