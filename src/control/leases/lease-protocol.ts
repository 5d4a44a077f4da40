/** Steps of the lease protocol within one transaction; contract/executor-api.ts defines its terms. */
import type { PollRequest } from '../../contract/executor-api.ts';
import { createCredentialInvalidError } from '../../errors/credential-invalid-error.ts';
import { vpError } from '../../errors/vp-error.ts';
import { parseRunId } from '../../run/run-id.ts';
import type { RunState } from '../../run/state.ts';
import { bearerPrefixes } from '../../secrets/bearer.ts';
import type { Counters } from '../../store/control/counters.ts';
import {
  findKnownCaller,
  findKnownJournal,
  getEpoch,
  type KnownCaller,
  type KnownJournal,
  saveJournalPosition,
} from '../../store/control/instances/executor-journals.ts';
import type { InstanceRow } from '../../store/control/instances/instances.ts';
import {
  findCurrentLease,
  type LeaseRow,
  type LeaseTaker,
  leaseOldestRun,
  moveLeaseToEpoch,
  type QueuedLeaseRow,
  returnToQueue,
} from '../../store/control/runs/leases.ts';
import { isRestoredEpoch } from '../../store/control/settle-restored.ts';
import type { Sql } from '../../store/sql.ts';
import type { KeyChanges } from '../credentials.ts';
import { failLostRun, type LossReason } from '../runs/lost-run.ts';
import { assertStoreIsCurrent, isStoreCurrent } from './stale-stores.ts';

/** The hash of the key with which a message came; undefined within one process. */
export type KeyClaim = { readonly keyHash?: string | undefined };
type EpochClaim = Pick<PollRequest, 'epoch' | 'journal'> & KeyClaim;

/** Throws CREDENTIAL_INVALID. A message was authenticated before its transaction, and a poll may have waited since. */
export function assertKey(known: KnownJournal | undefined, { keyHash }: KeyClaim): void {
  if (!isCurrentKey(known, keyHash)) throw createCredentialInvalidError(bearerPrefixes.executor);
}

function isCurrentKey(known: KnownJournal | undefined, keyHash: string | undefined): boolean {
  return keyHash === undefined || known?.key_hash === keyHash;
}

/**
 * Throws EXECUTOR_SUPERSEDED unless `epoch` is the instance's newest, INSTANCE_REMOVED when it is not registered any more, what
 * {@link assertKey} throws, and CONTROL_STORE_STALE when no executor has started since a restore: the executor must greet again
 * then. One without a journal, of 0.4.0, does not know that code.
 */
export function assertEpoch(sql: Sql, instance: string, claim: EpochClaim): void {
  assertKnownEpoch(findKnownJournal(sql, instance), instance, claim);
}

/** The same for one who has read what is known. Returns it. */
export function assertKnownEpoch<K extends KnownJournal>(known: K | undefined, instance: string, claim: EpochClaim): K {
  const { epoch, journal } = claim;
  const current = getEpoch(known);
  if (!known || current === undefined) throw vpError('INSTANCE_REMOVED', { instance });
  assertKey(known, claim);
  if (journal && epoch < current && isRestoredEpoch(current))
    throw vpError('CONTROL_STORE_STALE', { instance, known: `start ${epoch}, before a restore` });
  if (epoch !== current) throw vpError('EXECUTOR_SUPERSEDED', { instance, epoch, current });
  return known;
}

/** Returns what is known of the caller. Throws what {@link assertStoreIsCurrent} and {@link assertEpoch} throw. */
export function assertCaller(sql: Sql, instance: string, claim: EpochClaim): KnownCaller {
  const known = findKnownCaller(sql, instance);
  assertStoreIsCurrent(instance, known, claim.journal);
  return assertKnownEpoch(known, instance, claim);
}

/**
 * Throws CREDENTIAL_INVALID, INSTANCE_REMOVED. A message that was sent slowly was authenticated long before; it must leave no trace in
 * memory either.
 */
export function assertKeyNotEnded(
  keyChanges: Pick<KeyChanges, 'findEnd'>,
  instance: string,
  { keyHash }: KeyClaim,
): void {
  const end = keyHash === undefined ? undefined : keyChanges.findEnd(keyHash);
  if (end === 'removal of its instance') throw vpError('INSTANCE_REMOVED', { instance });
  if (end !== undefined) throw createCredentialInvalidError(bearerPrefixes.executor);
}

/** What {@link assertCaller} returns; undefined where it throws. */
export function findCurrentCaller(sql: Sql, instance: string, claim: EpochClaim): KnownCaller | undefined {
  const known = findKnownCaller(sql, instance);
  if (getEpoch(known) !== claim.epoch || !isCurrentKey(known, claim.keyHash)) return undefined;
  return isStoreCurrent(known, claim.journal) ? known : undefined;
}

/**
 * A later hello must not be behind this position. A message that arrives late is behind what is known, and changes nothing. Throws
 * what {@link assertCaller} throws.
 */
export function commitJournalPosition(sql: Sql, instance: string, claim: EpochClaim): void {
  const known = assertCaller(sql, instance, claim);
  const { epoch, journal } = claim;
  if (!journal || (epoch === known.journal_epoch && journal.seq <= known.journal_seq)) return;
  saveJournalPosition(sql, instance, epoch, journal.seq);
}

/**
 * Returns the lease that this epoch already has (its response was lost), otherwise a new one on the oldest queued run, which
 * `onNewLease` gets. Also records the position of the journal at this poll: a later hello must not be behind it. `isFree`: this
 * transaction has ended the run in progress, so there is none to look for. `next`: the oldest queued run, where it has been read.
 */
export function offerLease(
  sql: Sql,
  counters: Counters,
  instance: string,
  taker: LeaseTaker & { readonly isFree: boolean; readonly next: QueuedLeaseRow | undefined },
  nowMs: number,
  onNewLease: (lease: LeaseRow) => void,
): LeaseRow | undefined {
  const current = taker.isFree ? undefined : findCurrentLease(sql, instance);
  if (current && current.epoch !== taker.epoch) return undefined;
  if (current && taker.journalSeq !== undefined) saveJournalPosition(sql, instance, taker.epoch, taker.journalSeq);
  if (current) return current;
  const lease = leaseOldestRun(sql, counters, instance, taker, nowMs, taker.next);
  if (lease) onNewLease(lease);
  return lease;
}

/** The state of the executor's own store at its start. */
export type ExecutorJournal = {
  readonly storeId: string;
  /** It, or the control plane's store, is an older copy. */
  readonly isStale: boolean;
  readonly started: ReadonlySet<number>;
  readonly finished: ReadonlySet<number>;
};

/** Invalid run ids are ignored. */
export function parseRunIds(runIds: readonly string[]): Set<number> {
  return new Set(runIds.map(parseRunId).filter((moment) => moment !== undefined));
}

/** The fate of the run that the executor's last start left in progress. */
export type InterruptedRun =
  | { readonly fate: 'none' }
  | { readonly fate: 'continued'; readonly runMs: number; readonly fence: number }
  | { readonly fate: 'returned' | 'lost'; readonly runMs: number; readonly state: RunState };

function getLossReason(instance: InstanceRow, journal: ExecutorJournal, runMs: number): LossReason {
  if (journal.started.has(runMs)) return 'executor restarted';
  if (instance.executor_store_id !== journal.storeId) return 'executor store replaced';
  return journal.isStale ? 'older copy of a store' : 'executor restarted';
}

/**
 * Settles the run in progress when its executor restarts. It stays leased when its report is on the way. It returns to the queue
 * when its send was never announced (`isUnsent`), because its epoch is over and an announcement is refused from now on. If the
 * journal knows the run, the executor would refuse to send it again, so the run is lost. In all other cases it is lost because
 * sending it again could do its work twice. A journal without the run proves nothing: an older copy lacks what was started
 * since, and a copy made just before the start cannot be distinguished from a new journal.
 */
export function settleInterruptedRun(
  sql: Sql,
  counters: Counters,
  instance: InstanceRow,
  journal: ExecutorJournal,
  epoch: number,
  nowMs: number,
  isUnsent: (fence: number) => boolean,
): InterruptedRun {
  const current = findCurrentLease(sql, instance.id);
  if (!current) return { fate: 'none' };
  if (journal.finished.has(current.id)) {
    moveLeaseToEpoch(sql, current.id, epoch);
    return { fate: 'continued', runMs: current.id, fence: current.fence };
  }
  if (isUnsent(current.fence) && !journal.started.has(current.id)) {
    const state = returnToQueue(sql, counters, current.id, current.fence, nowMs) ?? 'queued';
    return { fate: 'returned', runMs: current.id, state };
  }
  const reason = getLossReason(instance, journal, current.id);
  failLostRun(sql, counters, current.id, current.fence, { nowMs, reason });
  return { fate: 'lost', runMs: current.id, state: 'failed' };
}
