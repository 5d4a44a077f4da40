/** Connects the folder of an agent to an instance: adds the server, its name in the client's settings, a guide and ignore lines. */
import { dirname, join } from 'node:path';
import type { AgentRole } from '../../contract/agents/agent-token.ts';
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
  recordAddition,
  writeRecord,
} from './folder-record.ts';
import { buildGuide, getGuideFileName, isUnchangedGuide } from './guide.ts';
import { resolveFolder } from './separate-folders.ts';
import {
  buildAddEdits,
  buildEnabledServerEntry,
  buildRenewEdits,
  buildServerEntry,
  type JsonEntry,
  mcpFile,
  settingsFile,
} from './server-entry.ts';
import { applyEdits, type TextEdit } from './text-edit.ts';
import { appendLines, assertUntracked, listUnignored, toIgnoreLine } from './token-protection.ts';
import { type FileText, resolveTarget } from './user-file.ts';

/** What a folder is connected to. `routerUrl` ends in `/mcp`. */
export type FolderConnection = {
  readonly folder: string;
  readonly role: AgentRole;
  readonly instance: string;
  readonly routerUrl: string;
  readonly token: string;
  /** With `controlPlane`, identifies the token when it is revoked. */
  readonly controlPlane: string;
  readonly agentTokenId: string;
};

/**
 * What connecting would change; nothing is written. Throws what `connectFolder` throws for the current files:
 * FOLDER_ABSENT, FOLDER_TOKEN_TRACKED, FOLDER_ENTRY_FOREIGN, FOLDER_FILE_*.
 */
export async function planConnection(
  connection: Omit<FolderConnection, 'token' | 'controlPlane' | 'agentTokenId'>,
  context: FolderContext,
): Promise<readonly FolderChange[]> {
  const connectionWithoutToken = { ...connection, token: '', controlPlane: '', agentTokenId: '' };
  const record = await readRecord(context, await resolveFolder(connection.folder));
  return (await applyConnection(connectionWithoutToken, context, readOnlyAccess, record)).changes;
}

/**
 * What connecting with the token that a folder already has would change: what was removed since, and what a newer version adds.
 * Throws what `planConnection` throws.
 */
export async function listMissingAdditions(
  connection: FolderConnection,
  context: FolderContext,
): Promise<readonly FolderChange[]> {
  const record = await readRecord(context, await resolveFolder(connection.folder));
  const { changes } = await applyConnection(connection, context, readOnlyAccess, record);
  return changes.filter(({ change }) => change !== 'kept');
}

/** Connects, or replaces the token of a connected folder. After a failure it can be repeated. */
export async function connectFolder(
  connection: FolderConnection,
  context: FolderContext,
): Promise<readonly FolderChange[]> {
  const before = await readRecord(context, await resolveFolder(connection.folder));
  const planned = await applyConnection(connection, context, readOnlyAccess, before);
  // What is about to be added is recorded first: after a kill in between it is removed like the rest.
  const isKnown = before.connections.some(({ instance }) => instance === connection.instance);
  await writeRecord(context, isKnown ? { ...planned.record, connections: before.connections } : planned.record);
  const { changes, record } = await applyConnection(connection, context, createWriteAccess(context), before);
  await writeRecord(context, record);
  return changes;
}

async function applyConnection(
  connection: FolderConnection,
  context: FolderContext,
  access: FileAccess,
  record: FolderRecord,
) {
  const { role, instance, controlPlane, agentTokenId } = connection;
  const { folder } = record;
  const [server, settings] = [join(folder, mcpFile), join(folder, settingsFile)];
  const secrets = [...new Set([server, await resolveTarget(server)])];
  for (const file of secrets) await assertUntracked(file, context);
  const existing = record.connections.find((connection) => connection.instance === instance);
  const changes: FolderChange[] = [];
  // The ignore lines come first: the token must never be in a file that git would add.
  const ignored = await addIgnoreLines([...secrets, settings], record, context, access, changes);
  const folders = (await access.makeFolder(dirname(settings))) ? [dirname(settings)] : [];
  const added = [
    await putEntry(
      server,
      buildServerEntry(instance, connection.routerUrl, connection.token),
      existing,
      access,
      changes,
      (text) => buildRenewEdits(server, text, instance, connection.token, connection.routerUrl),
    ),
    await putEntry(settings, buildEnabledServerEntry(instance), existing, access, changes, () => []),
  ];
  await writeGuide(join(folder, getGuideFileName(role)), role, access, changes);
  const connected: ConnectedInstance = {
    instance,
    role,
    control_plane: controlPlane,
    agent_token_id: agentTokenId,
    files: added.flatMap((addition) => addition ?? []),
  };
  const otherConnections = record.connections.filter((other) => other !== existing);
  const nextRecord: FolderRecord = {
    folder,
    connections: [...otherConnections, connected],
    ignored: [...record.ignored, ...ignored],
    folders: [...new Set([...record.folders, ...folders])],
  };
  return { changes, record: nextRecord };
}

/** Adds an entry to a file or updates it. Returns what must be recorded to remove it again. */
async function putEntry(
  file: string,
  entry: JsonEntry,
  existing: ConnectedInstance | undefined,
  access: FileAccess,
  changes: FolderChange[],
  buildRenewal: (text: string) => readonly TextEdit[],
): Promise<FileAddition | undefined> {
  let added = existing?.files.find((addition) => addition.file === file);
  const { before, after } = await access.rewrite(file, (text) => {
    const renewed = text === undefined ? [] : buildRenewal(text);
    if (text !== undefined && renewed.length > 0) {
      added = added && rebaseAddition(added, text, renewed);
      return applyEdits(text, renewed);
    }
    const { edits, made } = buildAddEdits(file, text, entry);
    const [edit] = edits;
    if (!edit || !made) return text;
    added = recordAddition(file, text, edit, made);
    return applyEdits(text ?? '', edits);
  });
  changes.push(toFolderChange(file, `${entry.container}: ${entry.name}`, before, after));
  return added;
}

async function addIgnoreLines(
  files: readonly string[],
  record: FolderRecord,
  context: FolderContext,
  access: FileAccess,
  changes: FolderChange[],
): Promise<FileAddition[]> {
  const unignoredFiles = await listUnignored(files, context);
  const byFolder = Map.groupBy(unignoredFiles, (file) =>
    dirname(file) === join(record.folder, '.claude') ? record.folder : dirname(file),
  );
  const added: FileAddition[] = [];
  for (const [folder, members] of byFolder) {
    const file = join(folder, '.gitignore');
    const lines = members.map((member) => toIgnoreLine(folder, member));
    let addition: FileAddition | undefined;
    const addLines = (text: FileText): string => {
      const edit = appendLines(text, lines);
      addition = recordAddition(file, text, edit, text === undefined ? 'file' : 'entry');
      return applyEdits(text ?? '', [edit]);
    };
    const { before, after } = await access.rewrite(file, addLines, 0o644);
    if (addition) added.push({ ...addition, lines });
    changes.push(toFolderChange(file, `lines ${lines.join(', ')}`, before, after));
  }
  return added;
}

async function writeGuide(file: string, role: AgentRole, access: FileAccess, changes: FolderChange[]): Promise<void> {
  const writeText = (text: FileText): FileText =>
    text === undefined || isUnchangedGuide(text) ? buildGuide(role) : text;
  const { before, after } = await access.rewrite(file, writeText, 0o644);
  changes.push(toFolderChange(file, 'guide for the agent', before, after));
}
