/** The catalogue into files; what was changed here is not overwritten unawares. */
import { join, resolve } from 'node:path';
import type { Client } from '../../client/client.ts';
import type { ScenarioEntry } from '../../contract/api.ts';
import type { Random } from '../../environment/random.ts';
import { vpError } from '../../errors/vp-error.ts';
import { systemReason, writeWhole } from '../whole-file.ts';
import { type Pair, sha256Of } from './folder.ts';
import type { SeenFiles } from './seen.ts';

/** What became of one scenario. `kept`: the file has changes that the catalogue does not know. */
export type Pulled = {
  readonly id: string;
  readonly file: string;
  readonly outcome: 'created' | 'updated' | 'unchanged' | 'kept';
  readonly revision: number;
};

/** What pulling needs. */
export type Pull = {
  readonly client: Client;
  readonly instance: string;
  readonly seen: SeenFiles;
  readonly force: boolean;
  readonly folder: string;
  readonly cwd: string;
  readonly random: Pick<Random, 'token'>;
};

/** Pulls one scenario of the catalogue. */
export async function pullScenario(pull: Pull, { id, file }: Pair, entry: ScenarioEntry): Promise<Pulled> {
  const { client, instance, seen, folder, cwd, force } = pull;
  const name = file?.file ?? join(folder, fileNameOf(id));
  const { revision, sha256 } = entry;
  const facts = { id, file: name, revision };
  const here = file === undefined ? undefined : sha256Of(file.text);
  if (here === sha256) {
    seen.put(id, name, { revision, sha256 });
    return { ...facts, outcome: 'unchanged' };
  }
  if (here !== undefined && !force && !(await isKnown(pull, id, name, here))) return { ...facts, outcome: 'kept' };
  const document = await client.scenarios.get(instance, id);
  write(resolve(cwd, name), name, document.text, pull.random);
  seen.put(id, name, { revision: document.revision, sha256: document.sha256 });
  return { ...facts, revision: document.revision, outcome: file === undefined ? 'created' : 'updated' };
}

/** A text that the catalogue has, or had, is not lost when the file gets another one. */
async function isKnown({ client, instance, seen }: Pull, id: string, file: string, sha256: string): Promise<boolean> {
  if (seen.of(id, file)?.sha256 === sha256) return true;
  const revisions = await client.scenarios.revisions(instance, id);
  return revisions.some((revision) => revision.sha256 === sha256);
}

/** IDs are letters, digits, `.`, `_` and `-`, but the catalogue is another machine. */
function fileNameOf(id: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id)) return `${id}.md`;
  throw vpError('SCENARIO_ID_UNSAFE', { id });
}

function write(absolute: string, name: string, text: string, random: Pull['random']): void {
  try {
    writeWhole(absolute, text, random);
  } catch (cause) {
    throw vpError('SCENARIO_FOLDER_UNWRITABLE', { file: name, reason: systemReason(cause) }, { cause });
  }
}
