/**
 * A change of a hub in two steps: what happens in a transaction, and what follows when that is on the disk. Changes that belong together run
 * in one transaction, so that all of them are made or none.
 */
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { Database } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';
import { MemberReads } from '../members/member-reads.ts';

/**
 * Runs within a transaction, which may be repeated: ids and times are determined before. Returns what to do after the commit, such as
 * notifying listeners; its result is that of the change.
 */
export type PreparedChange<T = unknown> = (sql: Sql) => () => T;

/** A change of members, which reads and writes them through what the changes of one transaction share. */
export type MemberChange<T = unknown> = { readonly ofMembers: (reads: MemberReads) => PreparedChange<T> };

export type HubChangeStep = PreparedChange | MemberChange;

export async function makeChange<T>(
  database: Pick<Database, 'write'>,
  change: PreparedChange<T> | MemberChange<T>,
): Promise<T> {
  const finish = await database.write((sql) =>
    'ofMembers' in change ? change.ofMembers(new MemberReads(false))(sql) : change(sql),
  );
  return finish();
}

class RefusedChange extends Error {
  readonly position: number;
  readonly refusal: VpError;

  constructor(position: number, refusal: VpError) {
    super(refusal.message, { cause: refusal });
    this.position = position;
    this.refusal = refusal;
  }
}

/** What else happens in the transaction: `check` throws where no change may be made, `read` returns the result. */
type ChangeFrame<T> = { readonly check: (sql: Sql) => void; readonly read: (sql: Sql) => T };

/** In this order, all or none. Throws HUB_CHANGE_REFUSED with the position of the refused change. */
export async function makeChanges<T>(
  database: Pick<Database, 'write'>,
  changes: readonly HubChangeStep[],
  { check, read }: ChangeFrame<T>,
): Promise<T> {
  let written: { readonly finishers: readonly (() => unknown)[]; readonly result: T };
  try {
    written = await database.write((sql) => {
      check(sql);
      const reads = new MemberReads(changes.length > 1);
      const finishers = changes.map((change, position) => runAt(sql, selectChange(change, reads), position));
      return { finishers, result: read(sql) };
    });
  } catch (error) {
    throw error instanceof RefusedChange ? toRefusal(error, changes.length) : error;
  }
  for (const finish of written.finishers) finish();
  return written.result;
}

function selectChange(change: HubChangeStep, reads: MemberReads): PreparedChange {
  if ('ofMembers' in change) return change.ofMembers(reads);
  return (sql) => {
    reads.clear();
    return change(sql);
  };
}

/** Throws HUB_CHANGE_REFUSED for a change that is refused before any is made. */
export async function prepareChanges<T>(
  requests: readonly T[],
  prepare: (request: T) => Promise<HubChangeStep>,
): Promise<HubChangeStep[]> {
  const changes: HubChangeStep[] = [];
  for (const [position, request] of requests.entries()) {
    try {
      changes.push(await prepare(request));
    } catch (error) {
      throw isRefusal(error) ? toRefusal({ position, refusal: error }, requests.length) : error;
    }
  }
  return changes;
}

/** Everything but a refusal passes as it is: on PostgreSQL a thrown value ends a pass of the operation. */
function runAt(sql: Sql, change: PreparedChange, position: number): () => unknown {
  try {
    return change(sql);
  } catch (error) {
    throw isRefusal(error) ? new RefusedChange(position, error) : error;
  }
}

function isRefusal(error: unknown): error is VpError {
  return error instanceof VpError && error.code !== 'INTERNAL' && !error.code.startsWith('STORE_');
}

function toRefusal({ position, refusal }: Pick<RefusedChange, 'position' | 'refusal'>, count: number): VpError {
  const { code, message, cure } = refusal;
  const values = { number: position + 1, count, problem: message, code, cure };
  return vpError('HUB_CHANGE_REFUSED', values, { diagnostics: [{ position, code, message, cure }] });
}
