import { getNextRunTimeMs } from '../../run/run-id.ts';
import type { Counters } from '../control/counters.ts';
import type { Sql } from '../sql.ts';
import { waitInOperation } from './operation.ts';

/** Commit sequence numbers that one transaction may give. */
export const numbersPerCommit = 65_536;

/**
 * The counters of a store that several processes write. A transaction's commit number orders it; the sequence numbers that it
 * gives are within its share. An operation that is run again gets the same numbers again.
 */
export type CommitNumbers = Counters & {
  /** A transaction begins; an operation that wants a number before `begin` runs again once `began` has settled. */
  expect(start: Promise<unknown>): void;
  /** The transaction is open. */
  begin(commitNumber: number, lastRunMs: number): void;
  /** The operation in a form that gets the same numbers each time it runs. */
  repeatable<T>(operation: (sql: Sql) => T): (sql: Sql) => T;
  /** The newest run time that this transaction gave; undefined when it gave none. */
  getTakenRunMs(): number | undefined;
};

export function createCommitNumbers(): CommitNumbers {
  let firstSeq = 0;
  let givenSeqs = 0;
  let initialRunMs = 0;
  let lastRunMs = 0;
  let expected: Promise<unknown> | undefined;
  const waitForBegin = (): void => {
    if (expected) waitInOperation(expected);
  };
  return {
    expect(start) {
      expected = start;
    },
    begin(commitNumber, committedRunMs) {
      expected = undefined;
      firstSeq = commitNumber * numbersPerCommit;
      givenSeqs = 0;
      initialRunMs = committedRunMs;
      lastRunMs = committedRunMs;
    },
    repeatable(operation) {
      let start: { readonly givenSeqs: number; readonly lastRunMs: number } | undefined;
      return (sql) => {
        // Until the transaction is open, no number has been given.
        if (expected) return operation(sql);
        start ??= { givenSeqs, lastRunMs };
        givenSeqs = start.givenSeqs;
        lastRunMs = start.lastRunMs;
        return operation(sql);
      };
    },
    getTakenRunMs: () => (lastRunMs > initialRunMs ? lastRunMs : undefined),
    nextSeq() {
      waitForBegin();
      givenSeqs += 1;
      return firstSeq + givenSeqs;
    },
    // The sequences of the database survive deleted rows.
    saveLastSeq: () => undefined,
    leapSeq: () => undefined,
    getNextRunTimeMs(nowMs) {
      waitForBegin();
      lastRunMs = getNextRunTimeMs(nowMs, lastRunMs);
      return lastRunMs;
    },
    observeRunMs(runMs) {
      waitForBegin();
      lastRunMs = Math.max(lastRunMs, runMs);
    },
    lastRunMs() {
      waitForBegin();
      return lastRunMs;
    },
  };
}
