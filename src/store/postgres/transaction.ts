/** The statements that begin and end transactions of a store. Those that no pooler shares travel with what stands behind them. */
import type { QueryResult } from 'pg';
import type { BackupStoreName } from '../store-files.ts';
import { beginCommitted, beginSnapshot, formatPooledBegin } from './begin.ts';
import { lockClass, storeLocks } from './locks.ts';
import { incarnationText } from './server-requirements.ts';
import { type StoreSession, sendFixed } from './session.ts';
import type { StatementResult } from './statement-batch.ts';

export type WriteStart = {
  readonly commitNumber: number;
  readonly lastRunMs: number;
  readonly transactionId: string;
  /** Behind a pooler, whose server may have been restarted. */
  readonly incarnation: string | undefined;
};

function toWriteStart(row: Record<string, unknown> | undefined): WriteStart {
  return {
    commitNumber: Number(row?.commit_number),
    lastRunMs: Number(row?.last_run_ms),
    transactionId: String(row?.transaction_id),
    incarnation: row?.incarnation === undefined ? undefined : String(row.incarnation),
  };
}

/**
 * What `vp.begin_write` does, for sessions that keep statements prepared: as statements of their own they cost PostgreSQL half as much
 * (it plans none of them, and starts no function). The second one has a snapshot of its own, which is taken when the lock is
 * there. Another epoch than that of the active replica is refused by the function, which looks at it again.
 */
function formatWriteTexts(store: BackupStoreName) {
  const lock = storeLocks[store];
  const whenActive = (value: string): string =>
    `CASE WHEN $1::bigint IS NULL OR $1 = (SELECT max(epoch) FROM vp.terms) THEN ${value}
        ELSE (SELECT commit_number FROM vp.begin_write(${lock}, $1)) END AS commit_number`;
  return {
    lockText: `SELECT pg_advisory_xact_lock(${lockClass}, ${lock})`,
    checkText: `SELECT ${whenActive('0')}`,
    startText: `SELECT ${whenActive(`nextval('vp.commits_${lock}')`)},
      (SELECT last_value FROM vp.run_times) AS last_run_ms, pg_current_xact_id()::text AS transaction_id`,
  } as const;
}

const writeTexts = {
  control: formatWriteTexts('control'),
  audit: formatWriteTexts('audit'),
  memory: formatWriteTexts('memory'),
};

/**
 * Begins a write and waits for the store's lock, so that writes come one after another, as on SQLite: each sees all
 * commits before it, and the numbers of `commits` are in the order of the commits. `epoch` is that of the active replica (null
 * without replicas); another one is refused.
 */
export async function beginWrite(
  session: StoreSession,
  store: BackupStoreName,
  epoch: number | null,
): Promise<WriteStart> {
  const { client, server } = session;
  const lock = storeLocks[store];
  if (server.isPooled) {
    const start = `SELECT begun.*, ${incarnationText} AS incarnation FROM vp.begin_write(${lock}, ${epoch ?? 'NULL'}) AS begun`;
    const results: unknown = await client.query(`${formatPooledBegin(beginCommitted, store)}; ${start}`);
    return toWriteStart((results as readonly QueryResult<Record<string, unknown>>[]).at(-1)?.rows[0]);
  }
  void sendBegin(session);
  const { rows } = await sendStart(session, store, epoch, {
    name: `start_${store}`,
    text: writeTexts[store].startText,
  });
  return toWriteStart(rows[0]);
}

/**
 * Begins a transaction that only reads, at a moment when nobody writes. Like a write, it waits for the store's lock and is refused to a
 * replica that is not the active one; it takes no number. Not for sessions that a pooler shares. `isImplicit`: PostgreSQL ends the
 * transaction at the end of the message, as it does where none was begun.
 */
export async function beginLockedRead(
  session: StoreSession,
  store: BackupStoreName,
  epoch: number | null,
  isImplicit: boolean,
): Promise<void> {
  if (!isImplicit) void sendBegin(session);
  await sendStart(session, store, epoch, { name: `check_${store}`, text: writeTexts[store].checkText });
}

/** A failure is that of the statements behind it too. */
async function sendBegin(session: StoreSession): Promise<void> {
  await sendFixed(session, { name: 'BEGIN', text: beginCommitted, values: [] }).catch(() => undefined);
}

/** Takes the lock of the store. Resolves with the answer of `last`, whose parameter is the epoch. */
async function sendStart(
  session: StoreSession,
  store: BackupStoreName,
  epoch: number | null,
  last: { readonly name: string; readonly text: string },
): Promise<StatementResult> {
  const values = [epoch === null ? null : String(epoch)];
  const [, result] = await Promise.all([
    sendFixed(session, { name: `lock_${store}`, text: writeTexts[store].lockText, values: [] }),
    sendFixed(session, { ...last, values }),
  ]);
  return result;
}

/** Begins a read of one moment. */
export async function beginRead(session: StoreSession, store: BackupStoreName): Promise<void> {
  if (session.server.isPooled) await session.client.query(formatPooledBegin(beginSnapshot, store));
  else await sendFixed(session, { name: 'begin_snapshot', text: beginSnapshot, values: [] });
}

/**
 * Ends a transaction of which nobody waits for the end: the connection's next one comes behind it. The end has a message of its own,
 * so that it is not skipped when a statement before it fails that nobody waits for either.
 */
export function endUnawaited(session: StoreSession): void {
  session.client.separate();
  sendCommit(session).catch(() => undefined);
}

export function sendCommit(session: StoreSession): Promise<StatementResult> {
  return sendFixed(session, { name: 'COMMIT', text: 'COMMIT', values: [], isEnd: true });
}

/** The newest moment that was given to a run as its id. */
export async function saveRunTime(session: StoreSession, runMs: number): Promise<void> {
  await sendFixed(session, {
    name: 'save_run_time',
    text: `SELECT setval('vp.run_times', $1)`,
    values: [String(runMs)],
  });
}
