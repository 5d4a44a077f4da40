/**
 * Recognizes stores that are older copies, by what the two sides have sent each other. The executor's journal notes every
 * epoch before it polls and every lease before it sends; the control plane gives epochs and fences that only grow.
 */
import type { HelloRequest, JournalPosition, StaleStore } from '../../contract/executor-api.ts';
import { vpError } from '../../errors/vp-error.ts';
import type { KnownCaller } from '../../store/control/instances/executor-journals.ts';
import { epochLeap } from '../../store/control/settle-restored.ts';

/** What the journal has received and this store does not hold; undefined when it holds all. */
function findUnknownNumbers(known: KnownCaller, journal: JournalPosition) {
  if (journal.registered_at_ms !== known.created_at_ms) return undefined;
  // `vp restore` has settled this store since: what was sent before says nothing.
  if (known.epoch - journal.epoch >= epochLeap) return undefined;
  const finished = known.passed + known.failed + known.not_judged + known.cancelled;
  const numbers = [
    { name: 'start', given: journal.epoch, stored: known.epoch },
    { name: 'lease', given: journal.fence, stored: known.fence },
    { name: 'finished runs', given: journal.finished_runs, stored: finished },
  ];
  const unknown = numbers.filter(({ given, stored }) => given > stored);
  return unknown.length === 0 ? undefined : unknown.map(({ name, given, stored }) => `${name} ${given}, not ${stored}`);
}

/** False when the executor has received more than this store holds; `known` is of this transaction. */
export function isStoreCurrent(known: KnownCaller | undefined, journal: JournalPosition | undefined): boolean {
  return !known || !journal || findUnknownNumbers(known, journal) === undefined;
}

/** Throws CONTROL_STORE_STALE when the executor has received more than this store holds; `known` is of this transaction. */
export function assertStoreIsCurrent(
  instance: string,
  known: KnownCaller | undefined,
  journal: JournalPosition | undefined,
): void {
  const unknown = known && journal && findUnknownNumbers(known, journal);
  if (unknown) throw vpError('CONTROL_STORE_STALE', { instance, known: unknown.join(', ') });
}

/** `seenSeq` is the journal's highest number since the last hello, as far as this process has seen it. */
export function findStaleStore(
  known: KnownCaller,
  { store_id, journal }: Pick<HelloRequest, 'store_id' | 'journal'>,
  seenSeq: number,
): StaleStore | undefined {
  if (!journal) return undefined;
  if (findUnknownNumbers(known, journal)) return 'control plane';
  const isSameStore = known.executor_store_id === store_id;
  const isSameRegistration = journal.registered_at_ms === 0 || journal.registered_at_ms === known.created_at_ms;
  if (!isSameStore || !isSameRegistration) return undefined;
  const isOlder = journal.epoch < known.journal_epoch || journal.seq < Math.max(known.journal_seq, seenSeq);
  return isOlder ? 'executor' : undefined;
}
