/** What a start of an executor finds in the store, and how it cleans up after the previous one. */
import type { JournalPosition } from '../../contract/executor-api.ts';
import type { Random } from '../../environment/random.ts';
import { readOutboxMeta, writeOutboxMeta } from '../../store/outbox/outbox-store.ts';
import { listPendingRunIds, retryRefusedReports } from '../../store/outbox/reports.ts';
import { abandonRunInSlot, listAbandonedRuns } from '../../store/outbox/slot.ts';
import type { Sql } from '../../store/sql.ts';

/** What a new start reads from the store. */
export type RecoveredState = {
  readonly storeId: string;
  /** As found, before this start changed anything. */
  readonly position: JournalPosition;
  /** The file of the store is a copy of the one that the last start had open, which may still run. */
  readonly isCopied: boolean;
  /** As the last control plane returned it; undefined before the first. */
  readonly instance: string | undefined;
  readonly abandoned: readonly string[];
  readonly finished: readonly string[];
};

/** Maximum numbers that the `hello` may list (contract/executor-api.ts). */
export const maxListed = { abandoned: 100, finished: 100_000 } as const;

export function recoverState(
  sql: Sql,
  random: Random,
  fileIdentity: string | undefined,
  position: JournalPosition,
): RecoveredState {
  const storedFile = readOutboxMeta(sql, 'file');
  const isCopied = storedFile !== undefined && fileIdentity !== undefined && storedFile !== fileIdentity;
  if (storedFile === undefined && fileIdentity !== undefined) writeOutboxMeta(sql, 'file', fileIdentity);
  abandonRunInSlot(sql);
  retryRefusedReports(sql);
  const storedId = readOutboxMeta(sql, 'store_id');
  const storeId = storedId ?? random.token(16);
  if (storedId === undefined) writeOutboxMeta(sql, 'store_id', storeId);
  const instance = readOutboxMeta(sql, 'instance');
  return {
    storeId,
    position,
    isCopied,
    instance,
    abandoned: listAbandonedRuns(sql, maxListed.abandoned),
    finished: listPendingRunIds(sql, maxListed.finished),
  };
}
