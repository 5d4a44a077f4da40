/** Files into the catalogue, one by one; nobody's newer revision is overwritten unawares. */
import type { Client } from '../../client/client.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { UsableFile } from '../read-scenarios.ts';
import { sha256Of } from './folder.ts';
import type { SeenFiles } from './seen.ts';

/** What became of a file. `refused`: the catalogue has what this file does not know of; `invalid`: it was not taken. */
export type Pushed = {
  readonly id: string;
  readonly file: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused' | 'invalid';
  /** In the catalogue now; null where there is none. */
  readonly revision: number | null;
  readonly reason: string | null;
  /** What the control plane finds wrong in the text. */
  readonly diagnostics: readonly object[];
};

/** What pushing needs. */
export type Push = {
  readonly client: Client;
  readonly instance: string;
  readonly seen: SeenFiles;
  readonly force: boolean;
};

/** Pushes a file; `entry` is what the catalogue has under its ID. Throws what no other file would fare better with. */
export async function pushFile(
  push: Push,
  { file, text, scenario }: UsableFile,
  entry: ScenarioEntry | undefined,
): Promise<Pushed> {
  const { client, instance, seen, force } = push;
  const { id } = scenario;
  const sha256 = sha256Of(text);
  const facts = { id, file, revision: entry?.revision ?? null, reason: null, diagnostics: [] };
  if (entry?.sha256 === sha256) {
    seen.put(id, file, { revision: entry.revision, sha256 });
    return { ...facts, outcome: 'unchanged' };
  }
  const base = seen.of(id, file)?.revision;
  if (entry && !force && base !== entry.revision)
    return { ...facts, outcome: 'refused', reason: reasonOf(entry, base) };
  try {
    const input = force ? { text } : { text, if_revision: entry?.revision ?? 0 };
    const { revision } = await client.scenarios.write(instance, id, input);
    seen.put(id, file, { revision, sha256 });
    return { ...facts, outcome: entry ? 'updated' : 'created', revision };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    if (error.code === 'SCENARIO_CHANGED') return { ...facts, outcome: 'refused', reason: error.message };
    if (error.code !== 'SCENARIO_REFUSED') throw error;
    return { ...facts, outcome: 'invalid', reason: error.message, diagnostics: error.diagnostics };
  }
}

function reasonOf({ revision, updated_by: by }: ScenarioEntry, base: number | undefined): string {
  const known =
    base === undefined ? 'this file was never pulled or pushed from here' : `this file is on top of ${base}`;
  return `the catalogue has revision ${revision} by ${by}, and ${known}`;
}
