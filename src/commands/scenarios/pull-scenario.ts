/** Writes scenarios of the catalogue to files, without overwriting local changes. */
import { hash } from 'node:crypto';
import { join, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { embedFiles, removeFiles } from '../../scenario/embedded-files.ts';
import { formatSystemErrorCode, writeOutputFile } from '../output-file.ts';
import type { PulledVersions } from './pulled-versions.ts';
import { addUsedFiles } from './scenario-files.ts';
import type { ScenarioPair } from './scenario-folder.ts';

/** `kept`: the file has changes that are not in the catalogue. */
export type PullResult = {
  readonly id: string;
  readonly file: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept';
  readonly revision: number;
};

export type PullContext = {
  readonly client: Client;
  readonly instance: string;
  readonly versions: PulledVersions;
  readonly force: boolean;
  readonly folder: string;
  readonly cwd: string;
  readonly random: Pick<Random, 'token'>;
};

export async function pullScenario(
  context: PullContext,
  { id, file }: ScenarioPair,
  entry: ScenarioEntry,
): Promise<PullResult> {
  const { client, instance, versions, folder, cwd, force } = context;
  const name = file?.file ?? join(folder, toFileName(id));
  const { revision, sha256 } = entry;
  const facts = { id, file: name, revision };
  const localHash = file === undefined ? undefined : hash('sha256', file.text);
  if (localHash === sha256) {
    versions.set(id, name, { revision, sha256 });
    return { ...facts, outcome: 'unchanged' };
  }
  if (localHash !== undefined && !force && !(await isKnownText(context, id, name, localHash)))
    return { ...facts, outcome: 'kept' };
  const document = await client.scenarios.get(instance, id);
  writeScenario(resolve(cwd, name), name, withoutLocalFiles(context, name, document.text), context.random);
  versions.set(id, name, { revision: document.revision, sha256: document.sha256 });
  return { ...facts, revision: document.revision, outcome: file === undefined ? 'created' : 'updated' };
}

/** Without the files that it uses, where the folder has the same ones. An earlier version may have reduced a document otherwise. */
function withoutLocalFiles({ folder, cwd }: PullContext, name: string, text: string): string {
  const own = removeFiles(text);
  const isSame = (): boolean => addUsedFiles(own, name, folder, cwd) === embedFiles(text, () => undefined);
  return own !== text && isSame() ? own : text;
}

/** Whether the text is a current or earlier revision, so that overwriting the file loses nothing. */
async function isKnownText(
  { client, instance, versions }: PullContext,
  id: string,
  file: string,
  sha256: string,
): Promise<boolean> {
  if (versions.get(id, file)?.sha256 === sha256) return true;
  const revisions = await client.scenarios.listRevisions(instance, id);
  return revisions.some((revision) => revision.sha256 === sha256);
}

/** IDs are letters, digits, `.`, `_` and `-`, but a remote catalogue is not trusted with file names. */
function toFileName(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id)) return `${id}.md`;
  throw vpError('SCENARIO_ID_UNSAFE', { id });
}

function writeScenario(absolute: string, name: string, text: string, random: PullContext['random']): void {
  try {
    writeOutputFile(absolute, text, random);
  } catch (cause) {
    throw vpError('SCENARIO_FOLDER_UNWRITABLE', { file: name, reason: formatSystemErrorCode(cause) }, { cause });
  }
}
