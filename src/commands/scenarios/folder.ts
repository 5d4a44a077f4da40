/** A folder of scenarios held against a catalogue. */
import { createHash } from 'node:crypto';
import type { ScenarioEntry } from '../../contract/api.ts';
import { idOf, parseFile } from '../read-scenarios.ts';
import { exists, readScenarioFiles, type ScenarioFile } from '../scenario-files.ts';

/** The hash that the catalogue tells of a text: SHA-256, hex. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The files of a folder by the ID in them, those without one left out; none where the folder is absent or empty. */
export function filesById(folder: string, cwd: string): Map<string, ScenarioFile> {
  const files = exists(folder, cwd) ? scenariosIn(folder, cwd) : [];
  const known = new Map<string, ScenarioFile>();
  for (const file of files) {
    const id = idOf(parseFile(file, { variables: 'any' }));
    if (id !== undefined && !known.has(id)) known.set(id, file);
  }
  return known;
}

function scenariosIn(folder: string, cwd: string): ScenarioFile[] {
  return readScenarioFiles([folder], cwd, (error) => {
    if (error.code !== 'SCENARIO_FOLDER_EMPTY') throw error;
  });
}

/** What became of a scenario: where it stands in the catalogue and in the folder. */
export type Pair = {
  readonly id: string;
  readonly entry: ScenarioEntry | undefined;
  readonly file: ScenarioFile | undefined;
};

/** Every scenario of either side, by ID. */
export function pairsOf(entries: readonly ScenarioEntry[], files: ReadonlyMap<string, ScenarioFile>): Pair[] {
  const byId = new Map(entries.map((entry) => [entry.scenario_id, entry]));
  const ids = [...new Set([...byId.keys(), ...files.keys()])].sort();
  return ids.map((id) => ({ id, entry: byId.get(id), file: files.get(id) }));
}

/** True where both sides have the same text. */
export function isSame({ entry, file }: Pair): boolean {
  return entry !== undefined && file !== undefined && entry.sha256 === sha256Of(file.text);
}
