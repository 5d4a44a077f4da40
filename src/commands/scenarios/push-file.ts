/** Writes files to the catalogue, without overwriting newer revisions of others. */
import type { Client } from '../../client/client.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { PulledVersions } from './pulled-versions.ts';
import type { UsableFile } from './read-scenarios.ts';
import { computeSha256 } from './scenario-folder.ts';

/** `refused`: the catalogue has a newer revision; `invalid`: the control plane rejected the text. */
export type PushResult = {
  readonly id: string;
  readonly file: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'refused' | 'invalid';
  /** The revision in the catalogue now; null if there is none. */
  readonly revision: number | null;
  readonly reason: string | null;
  /** Errors that the control plane found in the text. */
  readonly diagnostics: readonly object[];
};

export type PushContext = {
  readonly client: Client;
  readonly instance: string;
  readonly versions: PulledVersions;
  readonly force: boolean;
};

/** `entry` is the catalogue's entry for the file's ID. Throws errors that would affect every file. */
export async function pushFile(
  context: PushContext,
  { file, text, scenario }: UsableFile,
  entry: ScenarioEntry | undefined,
): Promise<PushResult> {
  const { client, instance, versions, force } = context;
  const { id } = scenario;
  const sha256 = computeSha256(text);
  const facts = { id, file, revision: entry?.revision ?? null, reason: null, diagnostics: [] };
  if (entry?.sha256 === sha256) {
    versions.set(id, file, { revision: entry.revision, sha256 });
    return { ...facts, outcome: 'unchanged' };
  }
  const base = versions.get(id, file)?.revision;
  if (entry && !force && base !== entry.revision)
    return { ...facts, outcome: 'refused', reason: formatRefusal(entry, base) };
  try {
    const input = force ? { text } : { text, if_revision: entry?.revision ?? 0 };
    const { revision } = await client.scenarios.write(instance, id, input);
    versions.set(id, file, { revision, sha256 });
    return { ...facts, outcome: entry ? 'updated' : 'created', revision };
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    if (error.code === 'SCENARIO_CHANGED') return { ...facts, outcome: 'refused', reason: error.message };
    if (error.code !== 'SCENARIO_REFUSED') throw error;
    return { ...facts, outcome: 'invalid', reason: error.message, diagnostics: error.diagnostics };
  }
}

function formatRefusal({ revision, updated_by: author }: ScenarioEntry, base: number | undefined): string {
  const localNote =
    base === undefined
      ? 'this file was never pulled or pushed on this machine'
      : `this file is based on revision ${base}`;
  return `the catalogue has revision ${revision} by ${author}, and ${localNote}`;
}
