/**
 * What vp has added to a folder, so that it can take out just that: kept with the user's configuration, not in the folder.
 * It holds no secrets: places and hashes, and the ids of tokens.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { AgentRoleSchema } from '../../contract/agent-api.ts';
import { type FileText, readText, rewriteFile } from './own-file.ts';
import type { FolderPlace } from './place.ts';
import { edited, movedBy, type TextEdit } from './text-edit.ts';

const Added = Type.Object({
  file: Type.String(),
  /** How much of it is ours: the file, the object or list around the entry, or the entry alone. */
  made: Type.Union([Type.Literal('file'), Type.Literal('container'), Type.Literal('entry')]),
  /** SHA-256 of the file before and after; while it is the latter, taking `put` out gives the former. */
  before: Type.String(),
  after: Type.String(),
  /** Of a `.gitignore`: its lines. */
  lines: Type.Optional(Type.Array(Type.String())),
  put: Type.Object({ offset: Type.Integer({ minimum: 0 }), length: Type.Integer({ minimum: 0 }) }),
});
/** One addition to one file. */
export type Added = Static<typeof Added>;

const Connection = Type.Object({
  instance: Type.String(),
  role: AgentRoleSchema,
  control_plane: Type.String(),
  agent_token_id: Type.String(),
  files: Type.Array(Added),
});
/** One instance that a folder is connected to. */
export type Connection = Static<typeof Connection>;

const FolderRecord = Type.Object({
  folder: Type.String(),
  connections: Type.Array(Connection),
  /** Lines of `.gitignore` files; they go with the last connection. */
  ignored: Type.Array(Added),
  /** Folders that were made. */
  folders: Type.Array(Type.String()),
});
/** Everything that was added to a folder. */
export type FolderRecord = Static<typeof FolderRecord>;

const check = TypeCompiler.Compile(FolderRecord);

function recordFile({ config }: FolderPlace, folder: string): string {
  return join(config, 'connections', `${hashOf(folder)}.json`);
}

/** What was added to `folder` (a real path); nothing where there is no record, or none that can be read. */
export async function readRecord(place: FolderPlace, folder: string): Promise<FolderRecord> {
  const text = await readText(recordFile(place, folder));
  const known = text === undefined ? undefined : parsed(text);
  return check.Check(known) && known.folder === folder ? known : { folder, connections: [], ignored: [], folders: [] };
}

/** Keeps a record; an empty one is taken away. */
export async function writeRecord(place: FolderPlace, record: FolderRecord): Promise<void> {
  const file = recordFile(place, record.folder);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const isEmpty = record.connections.length === 0 && record.ignored.length === 0;
  await rewriteFile(file, () => (isEmpty ? undefined : `${JSON.stringify(record, null, 2)}\n`), place.random);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** SHA-256 in hexadecimal; of no file, that of no bytes with a word of its own. */
export function hashOf(text: FileText): string {
  return text === undefined ? 'none' : createHash('sha256').update(text).digest('hex');
}

/** The record of one insertion. */
export function addedBy(file: string, before: FileText, edit: TextEdit, made: Added['made']): Added {
  const after = edited(before ?? '', [edit]);
  const put = { offset: edit.offset, length: edit.content.length };
  return { file, made, before: hashOf(before), after: hashOf(after), put };
}

/** The record after further edits of ours, so that it still leads back. */
export function followed(added: Added, before: string, edits: readonly TextEdit[]): Added {
  if (hashOf(before) !== added.after) return added;
  const fromBehind = [...edits].sort((a, b) => b.offset - a.offset);
  const put = fromBehind.reduce<Added['put'] | undefined>((put, edit) => put && movedBy(put, edit), added.put);
  return put ? { ...added, put, after: hashOf(edited(before, edits)) } : added;
}

/** The file as it was before the addition; `changed` when it has been changed since. */
export function undone(added: Added, text: string): { readonly text: FileText } | 'changed' {
  if (hashOf(text) !== added.after) return 'changed';
  if (added.before === 'none') return { text: undefined };
  const before = edited(text, [{ ...added.put, content: '' }]);
  return hashOf(before) === added.before ? { text: before } : 'changed';
}
