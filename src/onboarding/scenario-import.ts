/** Imports scenario files of the test folder into the catalogue of the instance. */
import { hash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ScenarioEntry } from '../contract/api.ts';

/** A file that was not imported, and why. `isConflict`: it was changed, and so was the catalogue. */
export type RefusedFile = { readonly file: string; readonly reason: string; readonly isConflict?: boolean };

/**
 * `imported` of `total` files are in the catalogue unchanged; `written` were sent by this import. `kept` is the number of files
 * that have not changed since their last import while the catalogue has.
 */
export type ScenarioImportResult = {
  readonly imported: number;
  readonly total: number;
  readonly written: number;
  readonly kept: number;
  readonly refused: readonly RefusedFile[];
};

/** Which files are in the catalogue already, which must be sent, and which cannot be. */
export function compareWithCatalogue(files: readonly ScenarioImportFile[], entries: readonly ScenarioEntry[]) {
  const known = new Map(entries.map((entry) => [entry.scenario_id, entry]));
  const refused: RefusedFile[] = [];
  const same: ScenarioImportFile[] = [];
  const toSend: { file: ScenarioImportFile; id: string; entry: ScenarioEntry | undefined }[] = [];
  const ids = new Map<string, string>();
  for (const file of files) {
    const { id, problem } = file;
    const duplicate = id === undefined ? undefined : ids.get(id);
    if (problem !== undefined) refused.push({ file: file.file, reason: problem });
    else if (id === undefined) refused.push({ file: file.file, reason: 'it has no ID' });
    else if (duplicate !== undefined) refused.push({ file: file.file, reason: `its ID ${id} is that of ${duplicate}` });
    else if (known.get(id)?.sha256 === hash('sha256', file.text)) same.push(file);
    else toSend.push({ file, id, entry: known.get(id) });
    if (id !== undefined && duplicate === undefined) ids.set(id, file.file);
  }
  return { refused, same, toSend };
}

/** Sends one file. Throws errors that would stop every other file too. */
export type SendScenario = (
  client: Client,
  instance: string,
  file: ScenarioImportFile,
  entry: ScenarioEntry | undefined,
) => Promise<{
  readonly refused: string | undefined;
  readonly isConflict?: boolean;
  /** Why the catalogue's text stays although the file differs. */
  readonly kept?: string | undefined;
}>;

/** Sends the files that differ, one after the other. */
export async function importScenarioFiles(
  client: Client,
  instance: string,
  files: readonly ScenarioImportFile[],
  options: { readonly signal: AbortSignal; readonly send: SendScenario; readonly onFile: (file: string) => void },
): Promise<ScenarioImportResult> {
  const { signal, send, onFile } = options;
  const { refused, same, toSend } = compareWithCatalogue(files, await client.scenarios.listAll(instance, { signal }));
  const allRefused = [...refused];
  let written = 0;
  let retainedCount = 0;
  for (const { file, entry } of toSend) {
    signal.throwIfAborted();
    onFile(file.file);
    const { refused: reason, isConflict, kept: retainedReason } = await send(client, instance, file, entry);
    if (reason !== undefined) allRefused.push({ file: file.file, reason, ...(isConflict ? { isConflict } : {}) });
    else if (retainedReason !== undefined) retainedCount += 1;
    else written += 1;
  }
  return { imported: same.length + written, total: files.length, written, kept: retainedCount, refused: allRefused };
}

/** A scenario file of the test folder; `problem` says why it cannot be sent. */
export type ScenarioImportFile = {
  readonly file: string;
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly text: string;
  readonly problem: string | undefined;
};
