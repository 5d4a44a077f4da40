/**
 * Whether a transaction is committed, where the answer to its COMMIT is missing or says less than that.
 *
 * PostgreSQL remembers what became of a transaction by its number. A crash, or a standby that takes over, may have lost a
 * transaction together with its number, and give the number to another one: there, `committed` proves nothing. And a commit that
 * stopped waiting for its synchronous standby is committed on one server only: a later write that was replicated shows that the
 * earlier one was as well.
 */
import { systemClock } from '../../environment/clock.ts';
import { vpError } from '../../errors/vp-error.ts';
import { pollUntil } from '../../timing/poll.ts';
import { beginCommittedText } from './begin.ts';
import { getSqlState } from './connection-errors.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isUsableAfter } from './errors.ts';
import { incarnationText } from './server-requirements.ts';
import type { StoreSession } from './session.ts';
import { sendCommit } from './transaction.ts';

export type UncertainTransaction = {
  readonly id: string;
  /** Of the server that gave the id; behind a pooler it was read in the transaction itself. */
  readonly incarnation: string;
};

export type CommitOutcome = 'committed' | 'aborted';

const askAgainMs = 100;
const confirmMs = 2_000;
/** The function of PostgreSQL that warns when it gives up waiting for a synchronous standby; the words depend on its language. */
const replicationRoutine = 'SyncRepWaitForLSN';

/** `status` is null when the number is so old that PostgreSQL has forgotten it. */
type OutcomeRow = { readonly status: string | null; readonly incarnation: string };

/** What a standby does not know yet may have happened. */
const outcomeText = `SELECT ${incarnationText} AS incarnation,
  CASE WHEN pg_is_in_recovery() THEN 'in progress' ELSE pg_xact_status(CAST($1 AS xid8)) END AS status`;
/** SQLSTATE of `pg_xact_status` for a number that was not given yet. No snapshot tells it from one that is still running. */
const neverGivenState = '22023';

/** Asks until PostgreSQL answers and the transaction has ended. Throws STORE_OUTCOME_UNKNOWN after `maxMs`, or when nobody can know. */
export async function findCommitOutcome(
  pool: Pick<ConnectionPool, 'with'>,
  transaction: UncertainTransaction,
  maxMs: number,
): Promise<CommitOutcome> {
  const outcome = await pollUntil(
    { clock: systemClock, pauseMs: askAgainMs, timeoutMs: maxMs },
    () => pool.with((connection) => examine(connection, transaction), isUsableAfter).catch(() => 'open' as const),
    (outcome) => outcome !== 'open',
  );
  if (outcome === 'unknown' || outcome === 'open') throw vpError('STORE_OUTCOME_UNKNOWN', {});
  return outcome;
}

async function examine(
  session: StoreSession,
  { id, incarnation }: UncertainTransaction,
): Promise<CommitOutcome | 'open' | 'unknown'> {
  const { rows } = await session.client.query<OutcomeRow>(outcomeText, [id]).catch((error: unknown) => {
    // The server that gave the number has lost it, and the transaction with it.
    if (getSqlState(error) === neverGivenState) return { rows: [{ status: 'aborted', incarnation }] };
    throw error;
  });
  const [row] = rows;
  // One that has not ended may be ours: its COMMIT may wait for a standby.
  if (!row || row.status === 'in progress') return 'open';
  if (row.status === 'aborted') return 'aborted';
  // Elsewhere the number may be that of another transaction.
  if (row.status !== 'committed' || row.incarnation !== incarnation) return 'unknown';
  return (await isReplicated(session)) ? 'committed' : 'open';
}

/** Whether a write is replicated now, where commits wait for that; with it is everything before. */
async function isReplicated(session: StoreSession): Promise<boolean> {
  const { client } = session;
  try {
    await client.query(`${beginCommittedText}; SET LOCAL statement_timeout TO ${confirmMs};
      SELECT pg_logical_emit_message(true, 'vp', '')`);
    return (await commit(session)).isReplicated;
  } catch (error) {
    if (isUsableAfter(error)) await client.query('ROLLBACK');
    throw error;
  }
}

/** `command` is ROLLBACK where a statement of the transaction has failed. */
export type CommitAnswer = { readonly command: string; readonly isReplicated: boolean };

/** Ends the open transaction. `isReplicated` is false when PostgreSQL gave up waiting for its synchronous standby. */
export async function commit(session: StoreSession): Promise<CommitAnswer> {
  const { client } = session;
  let isReplicated = true;
  const notice = ({ routine }: { readonly routine?: string | undefined }): void => {
    if (routine === replicationRoutine) isReplicated = false;
  };
  client.on('notice', notice);
  try {
    const { command } = await sendCommit(session);
    return { command, isReplicated };
  } finally {
    client.off('notice', notice);
  }
}
