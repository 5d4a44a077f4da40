/** The chain of each hub: its start, its head, and the checkpoint that is safe on the disk. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../row-reader.ts';
import type { Sql } from '../sql.ts';

const Bytes = Type.Uint8Array();

const ChainShape = Type.Object({
  hub: Type.Integer(),
  hub_id: Type.String(),
  before_seq: Type.Integer(),
  before_mac: Bytes,
  head_seq: Type.Integer(),
  head_mac: Bytes,
  seal: Bytes,
});
export type AuditChainRow = Static<typeof ChainShape>;

const CheckpointShape = Type.Object({ hub: Type.Integer(), seq: Type.Integer(), mac: Bytes, at_ms: Type.Integer() });
export type AuditCheckpointRow = Static<typeof CheckpointShape>;

const chainReader = createRowReader(ChainShape);
const checkpointReader = createRowReader(CheckpointShape);
const metaReader = createRowReader(Type.Object({ value: Bytes }));
const numberReader = createRowReader(Type.Object({ hub: Type.Integer() }));

const chainColumns = 'hub, hub_id, before_seq, before_mac, head_seq, head_mac, seal';
const selectChain = `SELECT ${chainColumns} FROM chains WHERE hub_id = ?`;
const replaceChain = `INSERT OR REPLACE INTO chains (${chainColumns}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

export function findAuditChain(sql: Sql, hubId: string): AuditChainRow | undefined {
  return chainReader.first(sql, selectChain, hubId);
}

export function listAuditChains(sql: Sql): AuditChainRow[] {
  return chainReader.all(sql, `SELECT ${chainColumns} FROM chains ORDER BY hub`);
}

/** The number for a hub that has none yet. */
export function allocateAuditHubNumber(sql: Sql): number {
  const text = 'SELECT coalesce(max(hub), 0) + 1 AS hub FROM chains';
  return numberReader.first(sql, text)?.hub ?? 1;
}

export function saveAuditChain(sql: Sql, row: AuditChainRow): void {
  const { hub, hub_id, before_seq, before_mac, head_seq, head_mac, seal } = row;
  sql.run(replaceChain, hub, hub_id, before_seq, before_mac, head_seq, head_mac, seal);
}

/** Writes checkpoints for heads that have none yet; returns how many. */
export function saveAuditCheckpoints(sql: Sql, atMs: number): number {
  const text = `INSERT INTO checkpoints (hub, seq, mac, at_ms)
    SELECT c.hub, c.head_seq, c.head_mac, ? FROM chains c LEFT JOIN checkpoints p ON p.hub = c.hub
    WHERE p.seq IS NULL OR p.seq <> c.head_seq
    ON CONFLICT (hub) DO UPDATE SET seq = excluded.seq, mac = excluded.mac, at_ms = excluded.at_ms`;
  return sql.run(text, atMs);
}

/** The newest checkpoint of a hub. */
export function findAuditCheckpoint(sql: Sql, hub: number): AuditCheckpointRow | undefined {
  return checkpointReader.first(sql, 'SELECT hub, seq, mac, at_ms FROM checkpoints WHERE hub = ?', hub);
}

export function readAuditMeta(sql: Sql, name: 'key'): Uint8Array | undefined {
  return metaReader.first(sql, 'SELECT value FROM meta WHERE name = ?', name)?.value;
}

export function writeAuditMeta(sql: Sql, name: 'key', value: Uint8Array): void {
  sql.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, value);
}
