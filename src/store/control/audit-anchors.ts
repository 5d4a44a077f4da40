/** Ends of the audit's chains that the control plane's store knows, and losses that an operator has accepted. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const AnchorShape = Type.Object({
  hub_id: Type.String(),
  /** Null for a hub that was removed. */
  slug: Type.Union([Type.String(), Type.Null()]),
  seq: Type.Integer(),
  mac: Type.Uint8Array(),
  at_ms: Type.Integer(),
});
export type AuditAnchorRow = Static<typeof AnchorShape>;

const LossShape = Type.Object({
  hub_id: Type.String(),
  slug: Type.Union([Type.String(), Type.Null()]),
  seq: Type.Integer(),
  problem: Type.String(),
  accepted_at_ms: Type.Integer(),
});
export type AuditLossRow = Static<typeof LossShape>;

const anchorReader = createRowReader(AnchorShape);
const lossReader = createRowReader(LossShape);

/** False in a store that no version with anchors has opened yet; readers do not migrate. */
export function hasAuditAnchors(sql: Sql): boolean {
  return sql.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'audit_losses'") !== undefined;
}

export function listAuditAnchors(sql: Sql): AuditAnchorRow[] {
  const text = `SELECT a.hub_id, h.slug, a.seq, a.mac, a.at_ms FROM audit_anchors a LEFT JOIN hubs h ON h.id = a.hub_id
    ORDER BY a.hub_id`;
  return anchorReader.all(sql, text);
}

export function saveAuditAnchors(sql: Sql, rows: readonly Omit<AuditAnchorRow, 'slug'>[]): void {
  const text = `INSERT INTO audit_anchors (hub_id, seq, mac, at_ms) VALUES (?, ?, ?, ?)
    ON CONFLICT (hub_id) DO UPDATE SET seq = excluded.seq, mac = excluded.mac, at_ms = excluded.at_ms`;
  for (const { hub_id, seq, mac, at_ms } of rows) sql.execute(text, hub_id, seq, mac, at_ms);
}

/** Forgets the anchors of these losses. */
export function insertAuditLosses(sql: Sql, losses: readonly Omit<AuditLossRow, 'slug'>[]): void {
  for (const { hub_id, seq, problem, accepted_at_ms } of losses) {
    const text = 'INSERT INTO audit_losses (hub_id, seq, problem, accepted_at_ms) VALUES (?, ?, ?, ?)';
    sql.execute(text, hub_id, seq, problem, accepted_at_ms);
    sql.execute('DELETE FROM audit_anchors WHERE hub_id = ?', hub_id);
  }
}

export function listAuditLosses(sql: Sql): AuditLossRow[] {
  const text = `SELECT l.hub_id, h.slug, l.seq, l.problem, l.accepted_at_ms FROM audit_losses l
    LEFT JOIN hubs h ON h.id = l.hub_id ORDER BY l.id`;
  return lossReader.all(sql, text);
}
