/** Imports scenario files of the test folder into the catalogue of the instance. */
import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ScenarioEntry } from '../contract/api.ts';

/** A file that was not imported, and why. */
export type RefusedFile = { readonly file: string; readonly reason: string };

/** `imported` of `total` files are in the catalogue unchanged; `written` were sent by this import. */
export type ScenarioImportResult = {
  readonly imported: number;
  readonly total: number;
  readonly written: number;
  readonly refused: readonly RefusedFile[];
};

/** As the catalogue computes it. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

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
    else if (known.get(id)?.sha256 === sha256Hex(file.text)) same.push(file);
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
) => Promise<{ readonly refused: string | undefined }>;

/** Sends the files that differ, one after the other. */
export async function importScenarios(
  client: Client,
  instance: string,
  files: readonly ScenarioImportFile[],
  options: { readonly signal: AbortSignal; readonly send: SendScenario; readonly onFile: (file: string) => void },
): Promise<ScenarioImportResult> {
  const { signal, send, onFile } = options;
  const { refused, same, toSend } = compareWithCatalogue(files, await client.scenarios.listAll(instance, { signal }));
  const allRefused = [...refused];
  let written = 0;
  for (const { file, entry } of toSend) {
    signal.throwIfAborted();
    onFile(file.file);
    const { refused: reason } = await send(client, instance, file, entry);
    if (reason === undefined) written += 1;
    else allRefused.push({ file: file.file, reason });
  }
  return { imported: same.length + written, total: files.length, written, refused: allRefused };
}

/** A scenario file of the test folder; `problem` says why it cannot be sent. */
export type ScenarioImportFile = {
  readonly file: string;
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly text: string;
  readonly problem: string | undefined;
};
