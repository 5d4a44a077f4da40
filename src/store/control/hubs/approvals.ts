/** Approvals of single calls. An open one is pending, approved and not used yet, or denied and still in force. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import { createRowInserter, formatColumns } from '../../row-writer.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const ApprovalShape = Type.Object({
  id: Type.String(),
  hub_id: Type.String(),
  state: Type.Union([
    Type.Literal('pending'),
    Type.Literal('approved'),
    Type.Literal('denied'),
    Type.Literal('used'),
    Type.Literal('expired'),
    Type.Literal('withdrawn'),
    Type.Literal('void'),
  ]),
  binding: Type.String(),
  call_digest: Type.String(),
  person_id: Type.String(),
  subject: Type.String(),
  connection: Type.String(),
  tool: Type.String(),
  policy_revision: Type.Integer(),
  sealed_call: Type.Union([Type.Uint8Array(), Type.Null()]),
  stored_arguments: nullableText,
  requested_at_ms: Type.Integer(),
  expires_at_ms: Type.Integer(),
  decided_at_ms: nullableInteger,
  decided_by_id: nullableText,
  decided_by: nullableText,
  comment: nullableText,
  ended_at_ms: nullableInteger,
});
export type ApprovalRow = Static<typeof ApprovalShape>;
export type ApprovalState = ApprovalRow['state'];

const reader = createRowReader(ApprovalShape);
const countReader = createRowReader(Type.Object({ count: Type.Integer() }));
const select = `SELECT ${formatColumns(ApprovalShape)} FROM hub_approvals`;
const isOpen = "state IN ('pending', 'approved', 'denied')";

export const insertApproval = createRowInserter('hub_approvals', ApprovalShape);

export function findApproval(sql: Sql, hubId: string, id: string): ApprovalRow | undefined {
  return reader.first(sql, `${select} WHERE hub_id = ? AND id = ?`, hubId, id);
}

export function findOpenApproval(sql: Sql, hubId: string, binding: string): ApprovalRow | undefined {
  return reader.first(sql, `${select} WHERE hub_id = ? AND binding = ? AND ${isOpen}`, hubId, binding);
}

/** Newest first. */
export function listApprovals(sql: Sql, hubId: string, states: 'open' | 'all', limit: number): ApprovalRow[] {
  const which = states === 'open' ? "AND state IN ('pending', 'approved')" : '';
  return reader.all(sql, `${select} WHERE hub_id = ? ${which} ORDER BY requested_at_ms DESC, id LIMIT ?`, hubId, limit);
}

/** Decided requests of this person for this tool, newest first, without `id` itself. */
export function listEarlierApprovals(sql: Sql, row: ApprovalRow, limit: number): ApprovalRow[] {
  const statement = `${select} WHERE hub_id = ? AND person_id = ? AND connection = ? AND tool = ? AND id <> ? AND decided_at_ms IS NOT NULL
    ORDER BY requested_at_ms DESC LIMIT ?`;
  return reader.all(sql, statement, row.hub_id, row.person_id, row.connection, row.tool, row.id, limit);
}

/** Pending requests of a hub, or of one person in it. */
export function countPendingApprovals(sql: Sql, hubId: string, personId: string | undefined): number {
  const statement = "SELECT count(*) AS count FROM hub_approvals WHERE hub_id = ? AND state = 'pending'";
  const row =
    personId === undefined
      ? countReader.first(sql, statement, hubId)
      : countReader.first(sql, `${statement} AND person_id = ?`, hubId, personId);
  return row?.count ?? 0;
}

/** False if the approval was not in one of the states `from`. */
export function decideApproval(
  sql: Sql,
  id: string,
  from: 'pending' | 'open',
  decision: Pick<ApprovalRow, 'state' | 'decided_at_ms' | 'decided_by_id' | 'decided_by' | 'comment'>,
): boolean {
  const states = from === 'pending' ? "state = 'pending'" : "state IN ('pending', 'approved')";
  const statement = `UPDATE hub_approvals SET state = ?, decided_at_ms = ?, decided_by_id = ?, decided_by = ?, comment = ?,
    sealed_call = CASE ? WHEN 'denied' THEN NULL ELSE sealed_call END WHERE id = ? AND ${states}`;
  const { state, decided_at_ms, decided_by_id, decided_by, comment } = decision;
  return sql.run(statement, state, decided_at_ms, decided_by_id, decided_by, comment, state, id) === 1;
}

/** Ends an open approval for good, and erases the call. False if it is not in the state `from`. */
export function endApproval(
  sql: Sql,
  id: string,
  from: ApprovalState,
  to: Extract<ApprovalState, 'used' | 'expired' | 'withdrawn' | 'void'>,
  nowMs: number,
): boolean {
  const statement =
    'UPDATE hub_approvals SET state = ?, ended_at_ms = ?, sealed_call = NULL WHERE id = ? AND state = ?';
  return sql.run(statement, to, nowMs, id, from) === 1;
}

export function listExpiredApprovals(sql: Sql, nowMs: number): ApprovalRow[] {
  return reader.all(sql, `${select} WHERE ${isOpen} AND expires_at_ms <= ? LIMIT 500`, nowMs);
}

/** Those that can still be approved or used, newest first. */
export function listUnusedApprovals(sql: Sql, limit: number): ApprovalRow[] {
  const statement = `${select} WHERE ${isOpen} AND state <> 'denied' ORDER BY requested_at_ms DESC LIMIT ?`;
  return reader.all(sql, statement, limit);
}

export function deleteEndedApprovals(sql: Sql, endedBeforeMs: number): void {
  sql.execute('DELETE FROM hub_approvals WHERE ended_at_ms < ?', endedBeforeMs);
}
