/** Pinned definitions of tools: as first seen, or as approved. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const PinShape = Type.Object({
  connection_id: Type.String(),
  tool: Type.String(),
  approved: nullableText,
  approved_digest: nullableText,
  waiting: nullableText,
  waiting_digest: nullableText,
  flags: Type.String(),
  seen_at_ms: Type.Integer(),
  changed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  approved_by: nullableText,
});
/** Definitions and flags are JSON. */
export type ToolPinRow = Static<typeof PinShape>;

const pinReader = createRowReader(PinShape);
const columns = `connection_id, tool, approved, approved_digest, waiting, waiting_digest, flags, seen_at_ms, changed_at_ms,
  approved_by`;

export function listToolPins(sql: Sql, connectionId: string): ToolPinRow[] {
  return pinReader.all(sql, `SELECT ${columns} FROM hub_tool_pins WHERE connection_id = ?`, connectionId);
}

export function saveToolPin(sql: Sql, row: ToolPinRow): void {
  const { connection_id, tool, approved, approved_digest, waiting, waiting_digest, flags, seen_at_ms } = row;
  sql.run(
    `INSERT OR REPLACE INTO hub_tool_pins (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    connection_id,
    tool,
    approved,
    approved_digest,
    waiting,
    waiting_digest,
    flags,
    seen_at_ms,
    row.changed_at_ms,
    row.approved_by,
  );
}
