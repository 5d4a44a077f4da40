/** Writes files to the catalogue, without overwriting newer revisions of others. */
import { hash } from 'node:crypto';
import type { Client } from '../../client/client.ts';
import type { ImportScenarioRequest, ScenarioEntry } from '../../contract/api.ts';
import type { Environment } from '../../environment/environment.ts';
import { VpError } from '../../errors/vp-error.ts';
import type { PulledVersions } from './pulled-versions.ts';
import type { UsableFile } from './read-scenarios.ts';
import { computeImportSource } from './scenario-folder.ts';

/**
 * `kept`: the catalogue was changed and the file was not; `conflict`: both were; `invalid`: the control plane rejected the text.
 */
export type PushResult = {
  readonly id: string;
  readonly file: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept' | 'conflict' | 'invalid';
  /** The revision in the catalogue now; null if there is none. */
  readonly revision: number | null;
  /** The revision that the file is based on; null if that is not known. */
  readonly base_revision: number | null;
  readonly reason: string | null;
  /** Errors that the control plane found in the text. */
  readonly diagnostics: readonly object[];
};

export type PushContext = {
  readonly client: Client;
  readonly instance: string;
  readonly versions: PulledVersions;
  /** What to do with files that changed on both sides. */
  readonly prefer: ImportScenarioRequest['prefer'];
  readonly environment: Pick<Environment, 'hostname' | 'cwd'>;
};

/** `entry` is the catalogue's entry for the file's ID. Throws errors that would affect every file. */
export async function pushFile(
  { client, instance, versions, prefer, environment }: PushContext,
  { file, text, scenario }: UsableFile,
  entry: ScenarioEntry | undefined,
): Promise<PushResult> {
  const { id } = scenario;
  const sha256 = hash('sha256', text);
  const base = versions.get(id, file)?.revision ?? null;
  const facts = { id, file, revision: entry?.revision ?? null, base_revision: base, reason: null, diagnostics: [] };
  if (entry?.sha256 === sha256) {
    versions.set(id, file, { revision: entry.revision, sha256 });
    return { ...facts, outcome: 'unchanged' };
  }
  const input = {
    text,
    source: computeImportSource(environment, file),
    base_revision: base ?? 0,
    ...(prefer === undefined ? {} : { prefer }),
  };
  try {
    const { outcome, reason, scenario: imported } = await client.scenarios.import(instance, id, input);
    const revision = imported?.revision ?? null;
    if (imported?.sha256 === sha256) versions.set(id, file, { revision: imported.revision, sha256 });
    return { ...facts, outcome, revision, reason };
  } catch (error) {
    if (!(error instanceof VpError) || error.code !== 'SCENARIO_REFUSED') throw error;
    return { ...facts, outcome: 'invalid', reason: error.message, diagnostics: error.diagnostics };
  }
}
