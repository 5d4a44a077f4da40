/** Removes from an agent's folder exactly what connecting added to it; and replaces the token of an entry. */
import { join } from 'node:path';
import { vpError } from '../../errors/vp-error.ts';
import {
  createWriteAccess,
  type FileAccess,
  type FolderChange,
  type FolderContext,
  readOnlyAccess,
  toFolderChange,
} from './file-access.ts';
import {
  type ConnectedInstance,
  type FileAddition,
  type FolderRecord,
  readRecord,
  rebaseAddition,
  undoAddition,
  writeRecord,
} from './folder-record.ts';
import { getGuideFileName, isUnchangedGuide } from './guide.ts';
import { resolveFolder } from './separate-folders.ts';
import {
  buildEnabledServerEntry,
  buildRenewEdits,
  buildServerEntry,
  hasServerEntry,
  type JsonEntry,
  mcpFile,
  removeEntry,
  settingsFile,
} from './server-entry.ts';
import { applyEdits } from './text-edit.ts';
import { removeLines } from './token-protection.ts';
import type { FileText } from './user-file.ts';

/** `connection` is undefined for one without a record of this user. */
export type DisconnectResult = {
  readonly changes: readonly FolderChange[];
  readonly connection: Pick<ConnectedInstance, 'role' | 'control_plane' | 'agent_token_id'> | undefined;
};

/** What disconnecting would change. Throws FOLDER_ABSENT, FOLDER_NOT_CONNECTED, FOLDER_FILE_*. */
export async function planDisconnection(
  folder: string,
  instance: string,
  context: FolderContext,
): Promise<DisconnectResult> {
  return (await applyDisconnection(folder, instance, context, readOnlyAccess)).outcome;
}

/** Throws what `planDisconnection` throws. */
export async function disconnectFolder(
  folder: string,
  instance: string,
  context: FolderContext,
): Promise<DisconnectResult> {
  const { outcome, record } = await applyDisconnection(folder, instance, context, createWriteAccess(context));
  await writeRecord(context, record);
  return outcome;
}

async function applyDisconnection(path: string, instance: string, context: FolderContext, access: FileAccess) {
  const folder = await resolveFolder(path);
  const record = await readRecord(context, folder);
  const connection = record.connections.find((candidate) => candidate.instance === instance);
  const server = join(folder, mcpFile);
  if (!connection) await assertServerEntry(server, folder, instance, access);
  const otherConnections = record.connections.filter((candidate) => candidate !== connection);
  const changes: FolderChange[] = [];
  const files: readonly (readonly [string, JsonEntry])[] = [
    [server, buildServerEntry(instance, '', '')],
    [join(folder, settingsFile), buildEnabledServerEntry(instance)],
  ];
  for (const [file, entry] of files) {
    const added = connection?.files.find((candidate) => candidate.file === file);
    // A name that was in the settings before was not added by vp.
    if (added || file === server) await removeServerEntry(file, entry, added, access, changes);
  }
  const role = connection?.role;
  const guides = (role ? [role] : (['test', 'product'] as const)).filter((guideRole) =>
    otherConnections.every((other) => other.role !== guideRole),
  );
  if (connection || otherConnections.length === 0)
    for (const guideRole of guides) await removeGuide(join(folder, getGuideFileName(guideRole)), access, changes);
  const isLast = otherConnections.length === 0;
  if (isLast) for (const added of record.ignored) await removeIgnoreLines(added, access, changes);
  if (isLast) for (const folder of record.folders) await access.removeFolder(folder);
  const nextRecord: FolderRecord = {
    folder,
    connections: inheritAdditions(otherConnections, connection),
    ignored: isLast ? [] : record.ignored,
    folders: isLast ? [] : record.folders,
  };
  return { outcome: { changes: changes.filter(({ change }) => change !== 'kept'), connection }, record: nextRecord };
}

async function assertServerEntry(file: string, folder: string, instance: string, access: FileAccess): Promise<void> {
  const { before } = await access.rewrite(file, (text) => text);
  if (!hasServerEntry(file, before, instance)) throw vpError('FOLDER_NOT_CONNECTED', { folder, instance });
}

async function removeServerEntry(
  file: string,
  entry: JsonEntry,
  added: FileAddition | undefined,
  access: FileAccess,
  changes: FolderChange[],
): Promise<void> {
  const { before, after } = await access.rewrite(file, (text) => {
    if (text === undefined) return undefined;
    const restored = added ? undoAddition(added, text) : 'changed';
    return restored === 'changed' ? removeEntry(file, text, entry, added?.made ?? 'entry') : restored.text;
  });
  changes.push(toFolderChange(file, `${entry.container}: ${entry.name}`, before, after));
}

async function removeIgnoreLines(added: FileAddition, access: FileAccess, changes: FolderChange[]): Promise<void> {
  const lines = added.lines ?? [];
  const { before, after } = await access.rewrite(added.file, (text) => {
    if (text === undefined) return undefined;
    const restored = undoAddition(added, text);
    if (restored !== 'changed') return restored.text;
    const rest = removeLines(text, lines);
    return rest.trim() === '' && added.made === 'file' ? undefined : rest;
  });
  changes.push(toFolderChange(added.file, `lines ${lines.join(', ')}`, before, after));
}

async function removeGuide(file: string, access: FileAccess, changes: FolderChange[]): Promise<void> {
  const { before, after } = await access.rewrite(file, (text: FileText) => (isUnchangedGuide(text) ? undefined : text));
  changes.push(toFolderChange(file, 'guide for the agent', before, after));
}

/** An entry that was created for the removed connection but is used by another one is removed with the other one. */
function inheritAdditions(
  otherConnections: readonly ConnectedInstance[],
  removed: ConnectedInstance | undefined,
): ConnectedInstance[] {
  const [firstOther, ...rest] = otherConnections;
  if (!firstOther || !removed) return [...otherConnections];
  const files = firstOther.files.map((own) => {
    const creation = removed.files.find(({ file }) => file === own.file)?.made;
    return creation === undefined || creation === 'entry' || own.made === 'file' ? own : { ...own, made: creation };
  });
  return [{ ...firstOther, files }, ...rest];
}

/**
 * Replaces the token in the entry of an instance and leaves everything else as it is. Throws FOLDER_ABSENT,
 * FOLDER_NOT_CONNECTED, FOLDER_ENTRY_FOREIGN, FOLDER_FILE_*.
 */
export async function replaceToken(
  path: string,
  instance: string,
  token: string,
  context: FolderContext,
): Promise<void> {
  const folder = await resolveFolder(path);
  const file = join(folder, mcpFile);
  const record = await readRecord(context, folder);
  const renewed: { connections: ConnectedInstance[] } = { connections: record.connections };
  await createWriteAccess(context).rewrite(file, (text) => {
    if (!hasServerEntry(file, text, instance) || text === undefined) {
      throw vpError('FOLDER_NOT_CONNECTED', { folder, instance });
    }
    const edits = buildRenewEdits(file, text, instance, token);
    renewed.connections = record.connections.map((connection) => ({
      ...connection,
      files: connection.files.map((added) => (added.file === file ? rebaseAddition(added, text, edits) : added)),
    }));
    return applyEdits(text, edits);
  });
  if (record.connections.length > 0) await writeRecord(context, { ...record, ...renewed });
}

/** The recorded connection of a folder to an instance. */
export async function findFolderConnection(
  path: string,
  instance: string,
  context: FolderContext,
): Promise<ConnectedInstance | undefined> {
  const record = await readRecord(context, await resolveFolder(path));
  return record.connections.find((connection) => connection.instance === instance);
}
