/** The entry of the thread of checkpoint-thread.ts. The sources and the packed binary load it by itself, so it imports packages only. */
import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';

export type CheckpointWorkerData = { readonly file: string; readonly options: Sqlite.Options };
/** Pages that the log had at the start of the checkpoint, and those of them that are in the file now. */
export type CheckpointResult = { readonly log: number; readonly checkpointed: number };
export type CheckpointRequest = 'checkpoint' | 'close';
export type CheckpointResponse = CheckpointResult | { readonly code: string; readonly message: string };

/**
 * Under NORMAL the log is synced before its pages are copied, and the file when all are copied; only after that does the log begin
 * anew.
 */
function openConnection(): Sqlite.Database {
  const { file, options } = workerData as CheckpointWorkerData;
  const sqlite = new Sqlite(file, { ...options, fileMustExist: true });
  for (const pragma of ['synchronous = NORMAL', 'fullfsync = 1']) sqlite.pragma(pragma);
  return sqlite;
}

let connection: Sqlite.Database | undefined;

/** A passive checkpoint waits for no other connection, and none waits for it. */
function runCheckpoint(): CheckpointResponse {
  try {
    connection ??= openConnection();
    return connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').get() as CheckpointResult;
  } catch (thrown) {
    const { code, message } = thrown as { readonly code?: unknown; readonly message?: unknown };
    // Where the folder is absent the driver raises a TypeError without a code.
    return { code: String(code ?? (connection ? 'SQLITE_ERROR' : 'SQLITE_CANTOPEN')), message: String(message) };
  }
}

parentPort?.on('message', (request: CheckpointRequest) => {
  if (request === 'checkpoint') return parentPort?.postMessage(runCheckpoint());
  connection?.close();
  parentPort?.close();
});
