/** Scenario files of the test folder into the catalogue of the instance. */
import { createHash } from 'node:crypto';
import type { Client } from '../client/client.ts';
import type { ScenarioEntry } from '../contract/api.ts';
import type { ScenarioText } from './context.ts';

/** A file that is not in the catalogue as it is, and why. */
export type RefusedFile = { readonly file: string; readonly reason: string };

/** `imported` of `total` files are in the catalogue as they are. */
export type ImportOutcome = {
  readonly imported: number;
  readonly total: number;
  readonly written: number;
  readonly refused: readonly RefusedFile[];
};

/** SHA-256 in hexadecimal, as the catalogue tells it. */
export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What importing would do: which files are there already, which are to be sent, which cannot be. */
export function compared(files: readonly ScenarioText[], entries: readonly ScenarioEntry[]) {
  const known = new Map(entries.map((entry) => [entry.scenario_id, entry]));
  const refused: RefusedFile[] = [];
  const same: ScenarioText[] = [];
  const toSend: { file: ScenarioText; id: string; entry: ScenarioEntry | undefined }[] = [];
  const ids = new Map<string, string>();
  for (const file of files) {
    const { id, problem } = file;
    const other = id === undefined ? undefined : ids.get(id);
    if (problem !== undefined) refused.push({ file: file.file, reason: problem });
    else if (id === undefined) refused.push({ file: file.file, reason: 'it has no ID' });
    else if (other !== undefined) refused.push({ file: file.file, reason: `its ID ${id} is that of ${other}` });
    else if (known.get(id)?.sha256 === sha256Of(file.text)) same.push(file);
    else toSend.push({ file, id, entry: known.get(id) });
    if (id !== undefined && other === undefined) ids.set(id, file.file);
  }
  return { refused, same, toSend };
}

/** Sends one file; throws what no other file would fare better with. */
export type SendScenario = (
  client: Client,
  instance: string,
  file: ScenarioText,
  entry: ScenarioEntry | undefined,
) => Promise<{ readonly refused: string | undefined }>;

/** Sends what differs, one file after the other. */
export async function importScenarios(
  client: Client,
  instance: string,
  files: readonly ScenarioText[],
  how: { readonly signal: AbortSignal; readonly send: SendScenario; readonly onFile: (file: string) => void },
): Promise<ImportOutcome> {
  const { signal, send, onFile } = how;
  const { refused, same, toSend } = compared(files, await client.scenarios.all(instance, { signal }));
  const all = [...refused];
  let written = 0;
  for (const { file, entry } of toSend) {
    signal.throwIfAborted();
    onFile(file.file);
    const { refused: reason } = await send(client, instance, file, entry);
    if (reason === undefined) written += 1;
    else all.push({ file: file.file, reason });
  }
  return { imported: same.length + written, total: files.length, written, refused: all };
}
