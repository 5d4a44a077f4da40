/**
 * Records what vp has added to a folder, so that exactly that can be removed. The record is in the user's configuration folder.
 * It contains no secrets: only offsets, hashes and the ids of tokens.
 */
import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { AgentRoleSchema } from '../../contract/agents/agent-api.ts';
import type { FolderContext } from './file-access.ts';
import { applyEdits, moveRange, type TextEdit } from './text-edit.ts';
import { type FileText, readUtf8, rewriteFile } from './user-file.ts';

const FileAddition = Type.Object({
  file: Type.String(),
  /** What vp created: the file, the object or list around the entry, or the entry alone. */
  made: Type.Union([Type.Literal('file'), Type.Literal('container'), Type.Literal('entry')]),
  /** SHA-256 of the file before and after the addition. While it has `after`, removing the range `put` restores `before`. */
  before: Type.String(),
  after: Type.String(),
  /** Lines added to a `.gitignore`. */
  lines: Type.Optional(Type.Array(Type.String())),
  put: Type.Object({ offset: Type.Integer({ minimum: 0 }), length: Type.Integer({ minimum: 0 }) }),
});
export type FileAddition = Static<typeof FileAddition>;

const ConnectedInstance = Type.Object({
  instance: Type.String(),
  role: AgentRoleSchema,
  control_plane: Type.String(),
  agent_token_id: Type.String(),
  files: Type.Array(FileAddition),
});
/** One instance that a folder is connected to. */
export type ConnectedInstance = Static<typeof ConnectedInstance>;

const FolderRecord = Type.Object({
  folder: Type.String(),
  connections: Type.Array(ConnectedInstance),
  /** Lines of `.gitignore` files; they are removed with the last connection. */
  ignored: Type.Array(FileAddition),
  /** Folders that were created. */
  folders: Type.Array(Type.String()),
});
/** Everything that was added to a folder. */
export type FolderRecord = Static<typeof FolderRecord>;

const compiledRecord = TypeCompiler.Compile(FolderRecord);

function recordPath({ config }: FolderContext, folder: string): string {
  return join(config, 'connections', `${hashFileText(folder)}.json`);
}

/** What was added to `folder` (a real path). An unreadable record counts as none. */
export async function readRecord(context: FolderContext, folder: string): Promise<FolderRecord> {
  const text = await readUtf8(recordPath(context, folder));
  const record = text === undefined ? undefined : parseJson(text);
  return compiledRecord.Check(record) && record.folder === folder
    ? record
    : { folder, connections: [], ignored: [], folders: [] };
}

/** Saves a record; an empty one is deleted. */
export async function writeRecord(context: FolderContext, record: FolderRecord): Promise<void> {
  const file = recordPath(context, record.folder);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const isEmpty = record.connections.length === 0 && record.ignored.length === 0;
  await rewriteFile(file, () => (isEmpty ? undefined : `${JSON.stringify(record, null, 2)}\n`), context.random);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** SHA-256 in hexadecimal; `none` where there is no file. */
export function hashFileText(text: FileText): string {
  return text === undefined ? 'none' : hash('sha256', text);
}

export function recordAddition(
  file: string,
  before: FileText,
  edit: TextEdit,
  made: FileAddition['made'],
): FileAddition {
  const after = applyEdits(before ?? '', [edit]);
  const put = { offset: edit.offset, length: edit.content.length };
  return { file, made, before: hashFileText(before), after: hashFileText(after), put };
}

/** The record after further edits by vp, so that it can still be undone. */
export function rebaseAddition(added: FileAddition, before: string, edits: readonly TextEdit[]): FileAddition {
  if (hashFileText(before) !== added.after) return added;
  const editsFromEnd = [...edits].sort((a, b) => b.offset - a.offset);
  const put = editsFromEnd.reduce<FileAddition['put'] | undefined>(
    (put, edit) => put && moveRange(put, edit),
    added.put,
  );
  return put ? { ...added, put, after: hashFileText(applyEdits(before, edits)) } : added;
}

/** The file as it was before the addition; `changed` if it has been changed since. */
export function undoAddition(added: FileAddition, text: string): { readonly text: FileText } | 'changed' {
  if (hashFileText(text) !== added.after) return 'changed';
  if (added.before === 'none') return { text: undefined };
  const before = applyEdits(text, [{ ...added.put, content: '' }]);
  return hashFileText(before) === added.before ? { text: before } : 'changed';
}
