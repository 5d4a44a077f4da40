import { copyFileSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import t, { type Test } from 'tap';
import type { AuditDatabase } from '../../../src/store/audit/audit-database.ts';
import type { Sql } from '../../../src/store/sql.ts';
import { openSqliteAuditDatabase } from '../../../src/store/sqlite/audit-database.ts';
import { CheckpointThread } from '../../../src/store/sqlite/checkpoint-thread.ts';
import type { CheckpointResult } from '../../../src/store/sqlite/checkpoint-worker.ts';
import { GroupCommit } from '../../../src/store/sqlite/group-commit.ts';
import { LogCheckpoints, type LogCheckpointsOptions } from '../../../src/store/sqlite/log-checkpoints.ts';
import { createStatementCache } from '../../../src/store/sqlite/statement-cache.ts';
import { eventually } from '../../eventually.ts';

const minPages = 100;
const insertRow = (sql: Sql): void => {
  sql.run('INSERT INTO rows (bytes) VALUES (zeroblob(10000))');
};

type Thread = Pick<CheckpointThread, 'checkpoint' | 'close'>;

type Log = {
  readonly checkpoints: LogCheckpoints;
  readonly file: string;
  write(): Promise<void>;
  measure(): CheckpointResult;
};

/** A store whose commits never move the log themselves. */
function openLog(t: Test, options: Partial<LogCheckpointsOptions> = {}): Log {
  const file = join(t.testdir(), 'rows.db');
  const sqlite = new Sqlite(file);
  for (const pragma of ['journal_mode = WAL', 'synchronous = NORMAL', 'wal_autocheckpoint = 0']) sqlite.pragma(pragma);
  sqlite.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, bytes BLOB)');
  const group = new GroupCommit(sqlite, createStatementCache(sqlite), file);
  const onFailure = (error: unknown): void => {
    t.fail(String(error));
  };
  const checkpoints = new LogCheckpoints({ sqlite, file, group, minPages, onFailure, ...options });
  t.teardown(async () => {
    group.close();
    await checkpoints.close();
    sqlite.close();
  });
  const measurement = sqlite.prepare('PRAGMA wal_checkpoint(NOOP)');
  return {
    ...{ checkpoints, file },
    write: () => group.write(insertRow),
    measure: () => measurement.get() as CheckpointResult,
  };
}

/** Writes rows until the log has begun anew, which a slow disk may delay by much. */
async function writeUntilNewLog({ checkpoints, write, measure }: Log): Promise<void> {
  for (let pages = 0, before = 0; pages >= before; ) {
    before = measure().log;
    if (before > 100 * minPages) throw new Error(`the log has ${before} pages`);
    await write();
    pages = measure().log;
    await checkpoints.finish();
  }
}

/** A thread that does nothing, until `finish` is called. */
function createIdleThread() {
  let requests = 0;
  const { promise, resolve } = Promise.withResolvers<CheckpointResult>();
  const checkpoint = (): Promise<CheckpointResult> => {
    requests += 1;
    return promise;
  };
  return {
    thread: { checkpoint, close: async () => {} },
    countRequests: () => requests,
    finish: () => resolve({ log: 0, checkpointed: 0 }),
  };
}

/** A row is written during each checkpoint, unless commits wait: a reader of the moment before keeps it out of the checkpoint. */
function startOvertakenThread(file: string, write: () => Promise<void>): Thread {
  const thread = new CheckpointThread(file);
  const reader = new Sqlite(file, { readonly: true });
  const checkpoint = async (): Promise<CheckpointResult> => {
    reader.exec('BEGIN; SELECT count(*) FROM rows');
    void write();
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    const { checkpointed } = await thread.checkpoint();
    reader.exec('COMMIT');
    return { log: checkpointed, checkpointed };
  };
  const close = async (): Promise<void> => {
    reader.close();
    await thread.close();
  };
  return { checkpoint, close };
}

t.test('the log begins anew again and again although rows are written during each checkpoint', async (t) => {
  const log: Log = openLog(t, { startThread: (file) => startOvertakenThread(file, () => log.write()) });
  for (let count = 0; count < 3; count += 1) await writeUntilNewLog(log);
  t.ok(statSync(log.file).size > minPages * 4096, 'its pages are in the file');
});

t.test('a short log stays where it is, and starts no thread', async (t) => {
  const log = openLog(t, { startThread: () => t.fail('not needed') as never });
  while (log.measure().log < minPages - 5) await log.write();
});

t.test('pages that a reader still needs stay in the log, and are not tried again at each commit', async (t) => {
  let checkpoints = 0;
  const startThread = (file: string): Thread => {
    const thread = new CheckpointThread(file);
    const checkpoint = async (): Promise<CheckpointResult> => {
      checkpoints += 1;
      return await thread.checkpoint();
    };
    return { checkpoint, close: () => thread.close() };
  };
  const log = openLog(t, { startThread, minPages: 400 });
  const reader = new Sqlite(log.file, { readonly: true });
  t.teardown(() => reader.close());
  reader.exec('BEGIN; SELECT count(*) FROM rows');
  while (log.measure().log < 1600) {
    await log.write();
    await log.checkpoints.finish();
  }
  t.ok(checkpoints > 1 && checkpoints <= 13, `${checkpoints} for a log of 400, 500, 600 … 1,600 pages`);
  reader.exec('COMMIT');
  await writeUntilNewLog(log);
});

t.test('commits go on while the thread waits for a slow disk', async (t) => {
  const { thread, countRequests, finish } = createIdleThread();
  let checkpoints = 0;
  // The first moves all that there was, while a row is written; the second, for which commits wait, takes long.
  const checkpoint = async (): Promise<CheckpointResult> => {
    checkpoints += 1;
    if (checkpoints > 1) return await thread.checkpoint();
    const { log: pages } = log.measure();
    await log.write();
    return { log: pages, checkpointed: pages };
  };
  const log = openLog(t, { startThread: () => ({ ...thread, checkpoint }) });
  while (countRequests() === 0) await log.write();
  const { log: pages } = log.measure();
  await log.write();
  t.ok(log.measure().log > pages);
  finish();
  await log.checkpoints.finish();
});

const failures: Readonly<Record<string, LogCheckpointsOptions['startThread']>> = {
  'that cannot be started': () => {
    throw new Error('no thread');
  },
  'that ends': () => {
    const ending = Promise.withResolvers<Worker>();
    process.once('worker', ending.resolve);
    const thread = new CheckpointThread('any');
    void ending.promise.then((worker) => worker.terminate());
    return thread;
  },
  'that cannot open the file': () => new CheckpointThread('/nowhere/rows.db'),
  'that finds another file': () => new CheckpointThread(import.meta.filename),
};

for (const [what, startThread] of Object.entries(failures))
  t.test(`the failure of a thread ${what} is reported once`, async (t) => {
    const errors: unknown[] = [];
    const log = openLog(t, { startThread, onFailure: (error) => errors.push(error) });
    while (log.measure().log < 4 * minPages) await log.write();
    await log.checkpoints.finish();
    for (let count = 0; count < 20; count += 1) await log.write();
    t.equal(errors.length, 1);
    t.ok(errors[0] instanceof Error);
  });

t.test('a failure while the store is closed is not reported', async (t) => {
  const errors: unknown[] = [];
  const { promise, reject } = Promise.withResolvers<CheckpointResult>();
  let hasStarted = false;
  const checkpoint = (): Promise<CheckpointResult> => {
    hasStarted = true;
    return promise;
  };
  const thread: Thread = { checkpoint, close: async () => {} };
  const log = openLog(t, { startThread: () => thread, onFailure: (error) => errors.push(error) });
  while (!hasStarted) await log.write();
  const closing = log.checkpoints.close();
  reject(new Error('the thread has ended'));
  await closing;
  t.same(errors, []);
});

t.test('a folder that is gone is an error of the store', async (t) => {
  const thread = new CheckpointThread('/nowhere/rows.db');
  t.teardown(() => thread.close());
  await t.rejects(thread.checkpoint(), { code: 'SQLITE_CANTOPEN' });
});

const logFileBytes = ({ file }: AuditDatabase): number => statSync(`${file}-wal`).size;
const writeBlob = (sql: Sql): void => {
  sql.run('INSERT INTO meta (name, value) VALUES (hex(randomblob(8)), zeroblob(1000000))');
};

function openAudit(t: Test, options: Parameters<typeof openSqliteAuditDatabase>[2]): AuditDatabase {
  const audit = openSqliteAuditDatabase(join(t.testdir(), 'audit.db'), 1e9, options);
  t.teardown(() => audit.close());
  return audit;
}

t.test('without its thread the audit moves the log within commits, and says once why', async (t) => {
  const errors: unknown[] = [];
  const audit = openAudit(t, { onError: (error) => errors.push(error) });
  rmSync(audit.file);
  for (let megabytes = 0; megabytes < 40; megabytes += 1) await audit.write(writeBlob);
  await eventually(() => errors.length > 0);
  for (let megabytes = 0; megabytes < 20; megabytes += 1) await audit.write(writeBlob);
  t.match(errors, [{ code: 'STORE_UNWRITABLE', detail: /removed or exchanged/ }]);
  t.equal(errors.length, 1);
  t.ok(logFileBytes(audit) < 40_000_000, `${logFileBytes(audit)} bytes`);
});

t.test('where only its thread fails, the audit says that nothing is lost', async (t) => {
  const errors: unknown[] = [];
  const checkpoint = (): Promise<CheckpointResult> => Promise.reject(new Error('the thread has ended'));
  const startThread = (): Thread => ({ checkpoint, close: async () => {} });
  const audit = openAudit(t, { startThread, onError: (error) => errors.push(error) });
  for (let megabytes = 0; megabytes < 40; megabytes += 1) await audit.write(writeBlob);
  t.match(errors, [{ code: 'STORE_LOG_NOT_MOVED', detail: 'Error: the thread has ended' }]);
  t.equal(errors.length, 1);
});

t.test('a file that was put in the place of the open one gets no pages of its log', async (t) => {
  const errors: unknown[] = [];
  const audit = openAudit(t, { onError: (error) => errors.push(error) });
  await audit.write(writeBlob);
  renameSync(audit.file, `${audit.file}.moved`);
  copyFileSync(`${audit.file}.moved`, audit.file);
  const copy = readFileSync(audit.file);
  for (let megabytes = 0; megabytes < 40; megabytes += 1) await audit.write(writeBlob);
  t.match(errors, [{ code: 'STORE_UNWRITABLE', detail: /removed or exchanged/ }]);
  t.same(readFileSync(audit.file), copy);
});

t.test('the log of the audit stays bounded when its thread is late', async (t) => {
  const { thread, finish } = createIdleThread();
  const audit = openAudit(t, { startThread: () => thread });
  for (let megabytes = 0; megabytes < 100; megabytes += 1) await audit.write(writeBlob);
  t.ok(logFileBytes(audit) < 70_000_000, `${logFileBytes(audit)} bytes`);
  finish();
});

t.test('the log of the audit is emptied after the thread has moved its pages', async (t) => {
  const { thread, countRequests, finish } = createIdleThread();
  const audit = openAudit(t, { startThread: () => thread });
  while (countRequests() === 0) await audit.write(writeBlob);
  const emptied = audit.truncateLog();
  await audit.write(writeBlob);
  t.ok(logFileBytes(audit) > 0);
  finish();
  await emptied;
  t.equal(logFileBytes(audit), 0);
});

t.test('a close of the audit ends its thread', async (t) => {
  const started = Promise.withResolvers<Worker>();
  process.once('worker', started.resolve);
  const audit = openSqliteAuditDatabase(join(t.testdir(), 'audit.db'), 1e9);
  for (let megabytes = 0; megabytes < 40; megabytes += 1) await audit.write(writeBlob);
  const worker = await started.promise;
  await audit.close();
  t.equal(worker.threadId, -1);
});
