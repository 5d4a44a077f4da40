import { vpError } from '../../errors/vp-error.ts';
import type { ConnectionPool } from './connection-pool.ts';
import { isUsableAfter } from './errors.ts';

const askAgainMs = 100;

/**
 * What became of a transaction whose connection was lost during its commit. PostgreSQL remembers it, also after a crash, and so
 * does a standby that takes over. Asks until PostgreSQL answers and the transaction has ended; throws STORE_OUTCOME_UNKNOWN
 * when that takes longer than `maxMs`.
 */
export async function findCommitOutcome(
  pool: Pick<ConnectionPool, 'with'>,
  transactionId: string,
  maxMs: number,
): Promise<'committed' | 'aborted'> {
  const startMs = performance.now();
  const text = 'SELECT pg_xact_status(CAST($1 AS xid8)) AS status';
  while (performance.now() - startMs < maxMs) {
    const answer = pool.with(
      ({ client }) => client.query<{ status: string | null }>(text, [transactionId]),
      isUsableAfter,
    );
    const status = await answer.then(
      ({ rows }) => rows[0]?.status,
      () => undefined,
    );
    if (status === 'committed' || status === 'aborted') return status;
    await new Promise((resolve) => setTimeout(resolve, askAgainMs));
  }
  throw vpError('STORE_OUTCOME_UNKNOWN', {});
}
