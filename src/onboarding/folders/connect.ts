/** Connects the folder of an agent to an instance: its server, its name in the client's settings, its guide, its ignore lines. */
import { dirname, join } from 'node:path';
import type { AgentRole } from '../../contract/agent-token.ts';
import { folderAt } from './apart.ts';
import { demandUntracked, ignoreLine, linesAdded, unignored } from './git-ignore.ts';
import { guideName, guideText, isOwnGuide } from './guide.ts';
import { type FileText, targetOf } from './own-file.ts';
import { changeOf, type FileAccess, type FolderChange, type FolderPlace, looking, writing } from './place.ts';
import {
  type Added,
  addedBy,
  type Connection,
  type FolderRecord,
  followed,
  readRecord,
  writeRecord,
} from './record.ts';
import { type Entry, editsToAdd, editsToRenew, enabledEntry, serverEntry } from './server-entry.ts';
import { edited, type TextEdit } from './text-edit.ts';

/** What a folder is connected to. `routerUrl` ends in `/mcp`. */
export type FolderConnection = {
  readonly folder: string;
  readonly role: AgentRole;
  readonly instance: string;
  readonly routerUrl: string;
  readonly token: string;
  /** To end the token again. */
  readonly controlPlane: string;
  readonly agentTokenId: string;
};

/** Where agents' clients look, below their folder. */
export const mcpFile = '.mcp.json';
export const settingsFile = join('.claude', 'settings.local.json');

/**
 * What connecting would change; nothing is written. Throws what {@link connectFolder} would for files as they are:
 * FOLDER_ABSENT, FOLDER_TOKEN_TRACKED, FOLDER_ENTRY_FOREIGN, FOLDER_FILE_*.
 */
export async function planConnection(
  asked: Omit<FolderConnection, 'token' | 'controlPlane' | 'agentTokenId'>,
  place: FolderPlace,
): Promise<readonly FolderChange[]> {
  const standIn = { ...asked, token: '', controlPlane: '', agentTokenId: '' };
  return (await connected(standIn, place, looking)).changes;
}

/** Connects, or connects anew with another token. A step that fails leaves the files before it connected: again is safe. */
export async function connectFolder(asked: FolderConnection, place: FolderPlace): Promise<readonly FolderChange[]> {
  const access = writing(place);
  const { changes, record } = await connected(asked, place, access);
  await writeRecord(place, record);
  return changes;
}

async function connected(asked: FolderConnection, place: FolderPlace, access: FileAccess) {
  const { role, instance, controlPlane, agentTokenId } = asked;
  const folder = await folderAt(asked.folder);
  const [server, settings] = [join(folder, mcpFile), join(folder, settingsFile)];
  const secrets = [...new Set([server, await targetOf(server)])];
  for (const file of secrets) await demandUntracked(file, place);
  const record = await readRecord(place, folder);
  const known = record.connections.find((connection) => connection.instance === instance);
  const changes: FolderChange[] = [];
  // First what keeps the token out of the repository, then the token.
  const ignored = await ignore([...secrets, settings], record, place, access, changes);
  const folders = (await access.makeFolder(dirname(settings))) ? [dirname(settings)] : [];
  const added = [
    await put(server, serverEntry(instance, asked.routerUrl, asked.token), known, access, changes, (text) =>
      editsToRenew(server, text, instance, asked.token, asked.routerUrl),
    ),
    await put(settings, enabledEntry(instance), known, access, changes, () => []),
  ];
  await writeGuide(join(folder, guideName(role)), role, access, changes);
  const connection: Connection = {
    instance,
    role,
    control_plane: controlPlane,
    agent_token_id: agentTokenId,
    files: added.flatMap((one) => one ?? []),
  };
  const others = record.connections.filter((other) => other !== known);
  const next: FolderRecord = {
    folder,
    connections: [...others, connection],
    ignored: [...record.ignored, ...ignored],
    folders: [...new Set([...record.folders, ...folders])],
  };
  return { changes, record: next };
}

/** Puts an entry into a file, or brings the one there up to date; gives what to remember of it. */
async function put(
  file: string,
  entry: Entry,
  known: Connection | undefined,
  access: FileAccess,
  changes: FolderChange[],
  renew: (text: string) => readonly TextEdit[],
): Promise<Added | undefined> {
  let added = known?.files.find((one) => one.file === file);
  const { before, after } = await access.rewrite(file, (text) => {
    const renewed = text === undefined ? [] : renew(text);
    if (text !== undefined && renewed.length > 0) {
      added = added && followed(added, text, renewed);
      return edited(text, renewed);
    }
    const { edits, made } = editsToAdd(file, text, entry);
    const [edit] = edits;
    if (!edit || !made) return text;
    added = addedBy(file, text, edit, made);
    return edited(text ?? '', edits);
  });
  changes.push(changeOf(file, `${entry.container}: ${entry.name}`, before, after));
  return added;
}

async function ignore(
  files: readonly string[],
  record: FolderRecord,
  place: FolderPlace,
  access: FileAccess,
  changes: FolderChange[],
): Promise<Added[]> {
  const open = await unignored(files, place);
  const byFolder = Map.groupBy(open, (file) =>
    dirname(file) === join(record.folder, '.claude') ? record.folder : dirname(file),
  );
  const added: Added[] = [];
  for (const [folder, members] of byFolder) {
    const file = join(folder, '.gitignore');
    const lines = members.map((member) => ignoreLine(folder, member));
    let one: Added | undefined;
    const add = (text: FileText): string => {
      const edit = linesAdded(text, lines);
      one = addedBy(file, text, edit, text === undefined ? 'file' : 'entry');
      return edited(text ?? '', [edit]);
    };
    const { before, after } = await access.rewrite(file, add, 0o644);
    if (one) added.push({ ...one, lines });
    changes.push(changeOf(file, `lines ${lines.join(', ')}`, before, after));
  }
  return added;
}

async function writeGuide(file: string, role: AgentRole, access: FileAccess, changes: FolderChange[]): Promise<void> {
  const write = (text: FileText): FileText => (text === undefined || isOwnGuide(text) ? guideText(role) : text);
  const { before, after } = await access.rewrite(file, write, 0o644);
  changes.push(changeOf(file, 'guide for the agent', before, after));
}
