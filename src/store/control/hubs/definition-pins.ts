/** Pinned definitions of tools, prompts, resources and resource templates: as first seen, or as approved. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);

const PinShape = Type.Object({
  connection_id: Type.String(),
  kind: Type.Union([Type.Literal('tool'), Type.Literal('prompt'), Type.Literal('resource'), Type.Literal('template')]),
  name: Type.String(),
  approved: nullableText,
  approved_digest: nullableText,
  waiting: nullableText,
  waiting_digest: nullableText,
  flags: Type.String(),
  seen_at_ms: Type.Integer(),
  changed_at_ms: Type.Union([Type.Integer(), Type.Null()]),
  approved_by: nullableText,
});
/** Definitions and flags are JSON. `name` is the URI of a resource, and the URI template of a template. */
export type DefinitionPinRow = Static<typeof PinShape>;
type Kind = DefinitionPinRow['kind'];

const pinReader = createRowReader(PinShape);
const firstListReader = createRowReader(Type.Object({ at_ms: Type.Integer() }));
const columns = `connection_id, kind, name, approved, approved_digest, waiting, waiting_digest, flags, seen_at_ms, changed_at_ms,
  approved_by`;

export function listDefinitionPins(sql: Sql, connectionId: string, kind: Kind): DefinitionPinRow[] {
  const statement = `SELECT ${columns} FROM hub_definition_pins WHERE connection_id = ? AND kind = ?`;
  return pinReader.all(sql, statement, connectionId, kind);
}

export function findDefinitionPin(
  sql: Sql,
  connectionId: string,
  kind: Kind,
  name: string,
): DefinitionPinRow | undefined {
  const statement = `SELECT ${columns} FROM hub_definition_pins WHERE connection_id = ? AND kind = ? AND name = ?`;
  return pinReader.first(sql, statement, connectionId, kind, name);
}

export function saveDefinitionPin(sql: Sql, row: DefinitionPinRow): void {
  sql.execute(
    `INSERT INTO hub_definition_pins (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (connection_id, kind, name) DO UPDATE SET approved = excluded.approved,
         approved_digest = excluded.approved_digest, waiting = excluded.waiting, waiting_digest = excluded.waiting_digest,
         flags = excluded.flags, seen_at_ms = excluded.seen_at_ms, changed_at_ms = excluded.changed_at_ms,
         approved_by = excluded.approved_by`,
    row.connection_id,
    row.kind,
    row.name,
    row.approved,
    row.approved_digest,
    row.waiting,
    row.waiting_digest,
    row.flags,
    row.seen_at_ms,
    row.changed_at_ms,
    row.approved_by,
  );
}

/** Undefined before the connection has answered with a list of this kind. */
export function findFirstListMs(sql: Sql, connectionId: string, kind: Kind): number | undefined {
  const statement = 'SELECT at_ms FROM hub_first_lists WHERE connection_id = ? AND kind = ?';
  return firstListReader.first(sql, statement, connectionId, kind)?.at_ms;
}

/** The first time stays. */
export function saveFirstList(sql: Sql, connectionId: string, kind: Kind, nowMs: number): void {
  sql.execute(
    'INSERT OR IGNORE INTO hub_first_lists (connection_id, kind, at_ms) VALUES (?, ?, ?)',
    connectionId,
    kind,
    nowMs,
  );
}
