/** The chain of each hub: where it begins, where it ends, and what of it is safe on the disk. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
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
/** See the schema. */
export type ChainRow = Static<typeof ChainShape>;

const CheckpointShape = Type.Object({ hub: Type.Integer(), seq: Type.Integer(), mac: Bytes, at_ms: Type.Integer() });
/** See the schema. */
export type CheckpointRow = Static<typeof CheckpointShape>;

const chainReader = rowReader(ChainShape);
const checkpointReader = rowReader(CheckpointShape);
const metaReader = rowReader(Type.Object({ value: Bytes }));
const numberReader = rowReader(Type.Object({ hub: Type.Integer() }));

const columns = 'hub, hub_id, before_seq, before_mac, head_seq, head_mac, seal';
const selectChain = `SELECT ${columns} FROM chains WHERE hub_id = ?`;
const replaceChain = `INSERT OR REPLACE INTO chains (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** The chain of a hub. */
export function chainOf(sql: Sql, hubId: string): ChainRow | undefined {
  return chainReader.one(sql.prepare(selectChain), hubId);
}

/** All of them. */
export function allChains(sql: Sql): ChainRow[] {
  return chainReader.all(sql.prepare(`SELECT ${columns} FROM chains ORDER BY hub`));
}

/** A number for a hub that has none yet. */
export function nextHubNumber(sql: Sql): number {
  const text = 'SELECT coalesce(max(hub), 0) + 1 AS hub FROM chains';
  return numberReader.one(sql.prepare(text))?.hub ?? 1;
}

/** Writes it whole. */
export function putChain(sql: Sql, row: ChainRow): void {
  const { hub, hub_id, before_seq, before_mac, head_seq, head_mac, seal } = row;
  sql.prepare(replaceChain).run(hub, hub_id, before_seq, before_mac, head_seq, head_mac, seal);
}

/** Takes over the heads that have no checkpoint yet; gives how many. */
export function putCheckpoints(sql: Sql, atMs: number): number {
  const text = `INSERT INTO checkpoints (hub, seq, mac, at_ms)
    SELECT c.hub, c.head_seq, c.head_mac, ? FROM chains c LEFT JOIN checkpoints p ON p.hub = c.hub
    WHERE p.seq IS NULL OR p.seq <> c.head_seq
    ON CONFLICT (hub) DO UPDATE SET seq = excluded.seq, mac = excluded.mac, at_ms = excluded.at_ms`;
  return sql.prepare(text).run(atMs).changes;
}

/** The newest one of a hub. */
export function checkpointOf(sql: Sql, hub: number): CheckpointRow | undefined {
  return checkpointReader.one(sql.prepare('SELECT hub, seq, mac, at_ms FROM checkpoints WHERE hub = ?'), hub);
}

/** A single value of the file. */
export function readAuditMeta(sql: Sql, name: 'key'): Uint8Array | undefined {
  return metaReader.one(sql.prepare('SELECT value FROM meta WHERE name = ?'), name)?.value;
}

/** Sets it once. */
export function writeAuditMeta(sql: Sql, name: 'key', value: Uint8Array): void {
  sql.prepare('INSERT INTO meta (name, value) VALUES (?, ?)').run(name, value);
}
