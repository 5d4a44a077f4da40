/** Definitions of tools as they were first seen, or approved. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const text = Type.Union([Type.String(), Type.Null()]);

const PinShape = Type.Object({
  connection_id: Type.String(),
  tool: Type.String(),
  approved: text,
  approved_digest: text,
  waiting: text,
  waiting_digest: text,
  flags: Type.String(),
  seen_at_ms: Type.Integer(),
  changed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  approved_by: text,
});
/** See the schema; definitions and flags are JSON. */
export type ToolPinRow = Static<typeof PinShape>;

const pinReader = rowReader(PinShape);
const columns = `connection_id, tool, approved, approved_digest, waiting, waiting_digest, flags, seen_at_ms, changed_at_ms,
  approved_by`;

/** The pins of a connection. */
export function pinsOfConnection(sql: Sql, connectionId: string): ToolPinRow[] {
  return pinReader.all(sql.prepare(`SELECT ${columns} FROM hub_tool_pins WHERE connection_id = ?`), connectionId);
}

/** Writes it whole. */
export function putPin(sql: Sql, row: ToolPinRow): void {
  const { connection_id, tool, approved, approved_digest, waiting, waiting_digest, flags, seen_at_ms } = row;
  sql
    .prepare(`INSERT OR REPLACE INTO hub_tool_pins (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    .run(
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
