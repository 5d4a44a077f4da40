/** Takes out of an agent's folder what connecting it has put in, and nothing else; and gives it another token in place. */
import { join } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import { folderAt } from './apart.ts';
import { mcpFile, settingsFile } from './connect.ts';
import { linesRemoved } from './git-ignore.ts';
import { guideName, isOwnGuide } from './guide.ts';
import type { FileText } from './own-file.ts';
import { changeOf, type FileAccess, type FolderChange, type FolderPlace, looking, writing } from './place.ts';
import { type Added, type Connection, type FolderRecord, followed, readRecord, undone, writeRecord } from './record.ts';
import { type Entry, editsToRenew, enabledEntry, hasServer, serverEntry, withoutEntry } from './server-entry.ts';
import { edited } from './text-edit.ts';

/** What was taken out, and the connection it was; undefined for one that this user's records do not know. */
export type Disconnected = {
  readonly changes: readonly FolderChange[];
  readonly connection: Pick<Connection, 'role' | 'control_plane' | 'agent_token_id'> | undefined;
};

/** What disconnecting would change. Throws FOLDER_ABSENT, FOLDER_NOT_CONNECTED, FOLDER_FILE_*. */
export async function planDisconnection(folder: string, instance: string, place: FolderPlace): Promise<Disconnected> {
  return (await disconnected(folder, instance, place, looking)).outcome;
}

/** Disconnects; see {@link planDisconnection}. */
export async function disconnectFolder(folder: string, instance: string, place: FolderPlace): Promise<Disconnected> {
  const { outcome, record } = await disconnected(folder, instance, place, writing(place));
  await writeRecord(place, record);
  return outcome;
}

async function disconnected(path: string, instance: string, place: FolderPlace, access: FileAccess) {
  const folder = await folderAt(path);
  const record = await readRecord(place, folder);
  const connection = record.connections.find((known) => known.instance === instance);
  const server = join(folder, mcpFile);
  if (!connection) await demandServer(server, folder, instance, access);
  const others = record.connections.filter((known) => known !== connection);
  const changes: FolderChange[] = [];
  const files: readonly (readonly [string, Entry])[] = [
    [server, serverEntry(instance, '', '')],
    [join(folder, settingsFile), enabledEntry(instance)],
  ];
  for (const [file, entry] of files) {
    const added = connection?.files.find((known) => known.file === file);
    // A name that stood in the settings before is not ours.
    if (added || file === server) await takeOut(file, entry, added, access, changes);
  }
  const role = connection?.role;
  const guides = (role ? [role] : (['test', 'product'] as const)).filter((one) =>
    others.every((other) => other.role !== one),
  );
  if (connection || others.length === 0)
    for (const one of guides) await takeGuide(join(folder, guideName(one)), access, changes);
  const isLast = others.length === 0;
  if (isLast) for (const added of record.ignored) await takeLines(added, access, changes);
  if (isLast) for (const made of record.folders) await access.removeFolder(made);
  const next: FolderRecord = {
    folder,
    connections: inherited(others, connection),
    ignored: isLast ? [] : record.ignored,
    folders: isLast ? [] : record.folders,
  };
  return { outcome: { changes: changes.filter(({ change }) => change !== 'kept'), connection }, record: next };
}

async function demandServer(file: string, folder: string, instance: string, access: FileAccess): Promise<void> {
  const { before } = await access.rewrite(file, (text) => text);
  if (!hasServer(file, before, instance)) throw vpError('FOLDER_NOT_CONNECTED', { folder, instance });
}

async function takeOut(
  file: string,
  entry: Entry,
  added: Added | undefined,
  access: FileAccess,
  changes: FolderChange[],
): Promise<void> {
  const { before, after } = await access.rewrite(file, (text) => {
    if (text === undefined) return undefined;
    const back = added ? undone(added, text) : 'changed';
    return back === 'changed' ? withoutEntry(file, text, entry, added?.made ?? 'entry') : back.text;
  });
  changes.push(changeOf(file, `${entry.container}: ${entry.name}`, before, after));
}

async function takeLines(added: Added, access: FileAccess, changes: FolderChange[]): Promise<void> {
  const lines = added.lines ?? [];
  const { before, after } = await access.rewrite(added.file, (text) => {
    if (text === undefined) return undefined;
    const back = undone(added, text);
    if (back !== 'changed') return back.text;
    const rest = linesRemoved(text, lines);
    return rest.trim() === '' && added.made === 'file' ? undefined : rest;
  });
  changes.push(changeOf(added.file, `lines ${lines.join(', ')}`, before, after));
}

async function takeGuide(file: string, access: FileAccess, changes: FolderChange[]): Promise<void> {
  const { before, after } = await access.rewrite(file, (text: FileText) => (isOwnGuide(text) ? undefined : text));
  changes.push(changeOf(file, 'guide for the agent', before, after));
}

/** What was made for this connection and is still needed by another is from now on that one's to take away. */
function inherited(others: readonly Connection[], gone: Connection | undefined): Connection[] {
  const [heir, ...rest] = others;
  if (!heir || !gone) return [...others];
  const files = heir.files.map((own) => {
    const made = gone.files.find(({ file }) => file === own.file)?.made;
    return made === undefined || made === 'entry' || own.made === 'file' ? own : { ...own, made };
  });
  return [{ ...heir, files }, ...rest];
}

/**
 * Puts another token into the entry of an instance and leaves everything else as it is. Throws FOLDER_ABSENT,
 * FOLDER_NOT_CONNECTED, FOLDER_ENTRY_FOREIGN, FOLDER_FILE_*.
 */
export async function replaceToken(path: string, instance: string, token: string, place: FolderPlace): Promise<void> {
  const folder = await folderAt(path);
  const file = join(folder, mcpFile);
  const record = await readRecord(place, folder);
  const renewed: { connections: Connection[] } = { connections: record.connections };
  await writing(place).rewrite(file, (text) => {
    if (!hasServer(file, text, instance) || text === undefined) {
      throw vpError('FOLDER_NOT_CONNECTED', { folder, instance });
    }
    const edits = editsToRenew(file, text, instance, token);
    renewed.connections = record.connections.map((connection) => ({
      ...connection,
      files: connection.files.map((added) => (added.file === file ? followed(added, text, edits) : added)),
    }));
    return edited(text, edits);
  });
  if (record.connections.length > 0) await writeRecord(place, { ...record, ...renewed });
}

/** The connection of a folder, for whoever rotates or ends its token; undefined where no record knows it. */
export async function connectionOf(
  path: string,
  instance: string,
  place: FolderPlace,
): Promise<Connection | undefined> {
  const record = await readRecord(place, await folderAt(path));
  return record.connections.find((connection) => connection.instance === instance);
}
