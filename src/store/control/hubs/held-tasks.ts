/** Calls that wait for an approval as tasks. A task is waiting, then its call is being sent, then it has ended. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const nullableBytes = Type.Union([Type.Uint8Array(), Type.Null()]);
const HeldTaskShape = Type.Object({
  id: Type.String(),
  hub_id: Type.String(),
  owner: Type.String(),
  person_id: Type.String(),
  era: Type.Union([Type.Literal('older'), Type.Literal('newest')]),
  state: Type.Union([
    Type.Literal('waiting'),
    Type.Literal('sending'),
    Type.Literal('completed'),
    Type.Literal('failed'),
    Type.Literal('cancelled'),
  ]),
  approval_id: Type.String(),
  connection_id: Type.String(),
  tool: Type.String(),
  grant_credential: Type.Union([Type.String(), Type.Null()]),
  message: Type.String(),
  sealed_call: nullableBytes,
  sealed_outcome: nullableBytes,
  created_at_ms: Type.Integer(),
  updated_at_ms: Type.Integer(),
  expires_at_ms: Type.Integer(),
});
export type HeldTaskRow = Static<typeof HeldTaskShape>;
export type HeldTaskState = HeldTaskRow['state'];

const reader = createRowReader(HeldTaskShape);
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const select = `SELECT ${formatColumns(HeldTaskShape)} FROM hub_held_tasks`;
const isOpen = "state IN ('waiting', 'sending')";

export const insertHeldTask = createRowInserter('hub_held_tasks', HeldTaskShape);

type TaskOwner = Pick<HeldTaskRow, 'hub_id' | 'owner'>;

/** Of this owner only. */
export function findHeldTask(sql: Sql, { hub_id, owner }: TaskOwner, id: string): HeldTaskRow | undefined {
  return reader.first(sql, `${select} WHERE hub_id = ? AND owner = ? AND id = ?`, hub_id, owner, id);
}

export function listHeldTasks(sql: Sql, { hub_id, owner }: TaskOwner, nowMs: number): HeldTaskRow[] {
  const statement = `${select} WHERE hub_id = ? AND owner = ? AND expires_at_ms > ? ORDER BY id`;
  return reader.all(sql, statement, hub_id, owner, nowMs);
}

/** Deletes the oldest ended tasks of a person until there are at most `max` others; false if too many are open. */
export function makeRoomForHeldTask(sql: Sql, hubId: string, personId: string, max: number): boolean {
  const ofPerson = 'FROM hub_held_tasks WHERE hub_id = ? AND person_id = ?';
  const count = (): number =>
    countReader.first(sql, `SELECT count(*) AS count ${ofPerson}`, hubId, personId)?.count ?? 0;
  const excess = count() - max + 1;
  if (excess <= 0) return true;
  sql.execute(
    `DELETE FROM hub_held_tasks WHERE id IN (SELECT id ${ofPerson} AND NOT ${isOpen} ORDER BY created_at_ms, id LIMIT ?)`,
    ...[hubId, personId, excess],
  );
  return count() < max;
}

/** Those whose approval is decided, has ended or does not exist any more. */
export function listDecidedHeldTasks(sql: Sql, limit: number): HeldTaskRow[] {
  const statement = `${select} WHERE state = 'waiting' AND NOT EXISTS (
    SELECT 1 FROM hub_approvals a WHERE a.id = hub_held_tasks.approval_id AND a.state = 'pending') LIMIT ?`;
  return reader.all(sql, statement, limit);
}

export function listWaitingHeldTasks(sql: Sql, approvalId: string): HeldTaskRow[] {
  return reader.all(
    sql,
    `${select} WHERE approval_id = ? AND state = 'waiting' ORDER BY created_at_ms, id`,
    approvalId,
  );
}

export function listSendingHeldTasks(sql: Sql): HeldTaskRow[] {
  return reader.all(sql, `${select} WHERE state = 'sending'`);
}

/** Only one caller claims a waiting task; false for the others. */
export function claimHeldTask(sql: Sql, id: string, message: string, nowMs: number): boolean {
  const statement = `UPDATE hub_held_tasks SET state = 'sending', message = ?, updated_at_ms = ?, sealed_call = NULL
    WHERE id = ? AND state = 'waiting'`;
  return sql.run(statement, message, nowMs, id) === 1;
}

/** False if the task was not in the state `from`. */
export function endHeldTask(
  sql: Sql,
  id: string,
  from: 'waiting' | 'sending',
  {
    state,
    message,
    sealed_outcome,
    updated_at_ms,
  }: Pick<HeldTaskRow, 'message' | 'sealed_outcome' | 'updated_at_ms'> & {
    readonly state: Extract<HeldTaskState, 'completed' | 'failed' | 'cancelled'>;
  },
): boolean {
  const statement = `UPDATE hub_held_tasks SET state = ?, message = ?, sealed_outcome = ?, updated_at_ms = ?, sealed_call = NULL
    WHERE id = ? AND state = ?`;
  return sql.run(statement, state, message, sealed_outcome, updated_at_ms, id, from) === 1;
}

export function deleteExpiredHeldTasks(sql: Sql, nowMs: number): void {
  sql.execute(`DELETE FROM hub_held_tasks WHERE expires_at_ms <= ? AND NOT ${isOpen}`, nowMs);
}
