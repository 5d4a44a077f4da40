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
  erased_seq: Type.Union([Type.Integer(), Type.Null()]),
  seal: Bytes,
});
export type AuditChainRow = Static<typeof ChainShape>;

const CheckpointShape = Type.Object({ hub: Type.Integer(), seq: Type.Integer(), mac: Bytes, at_ms: Type.Integer() });
export type AuditCheckpointRow = Static<typeof CheckpointShape>;

const chainReader = createRowReader(ChainShape);
const checkpointReader = createRowReader(CheckpointShape);
const metaReader = createRowReader(Type.Object({ value: Bytes }));
const numberReader = createRowReader(Type.Object({ hub: Type.Integer() }));

const chainColumns = 'hub, hub_id, before_seq, before_mac, head_seq, head_mac, erased_seq, seal';
const selectChain = `SELECT ${chainColumns} FROM chains WHERE hub_id = ?`;
/** A replaced row would also be written to the index by hub_id: another page for each commit. */
const upsertChain = `INSERT INTO chains (${chainColumns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (hub) DO UPDATE SET before_seq = excluded.before_seq, before_mac = excluded.before_mac,
    head_seq = excluded.head_seq, head_mac = excluded.head_mac, erased_seq = excluded.erased_seq, seal = excluded.seal`;

export function findAuditChain(sql: Sql, hubId: string): AuditChainRow | undefined {
  return chainReader.first(sql, selectChain, hubId);
}

export function listAuditChains(sql: Sql): AuditChainRow[] {
  return chainReader.all(sql, `SELECT ${chainColumns} FROM chains ORDER BY hub`);
}

/** The number for a hub that has none yet. */
export function allocateAuditHubNumber(sql: Sql): number {
  // Entries whose chain was removed keep their number.
  const text = `SELECT max(coalesce((SELECT max(hub) FROM chains), 0), coalesce((SELECT max(hub) FROM entries), 0)) + 1
    AS hub`;
  return numberReader.first(sql, text)?.hub ?? 1;
}

export function saveAuditChain(sql: Sql, row: AuditChainRow): void {
  const { hub, hub_id, before_seq, before_mac, head_seq, head_mac, erased_seq, seal } = row;
  sql.execute(upsertChain, hub, hub_id, before_seq, before_mac, head_seq, head_mac, erased_seq, seal);
}

/** Writes checkpoints for heads that have none yet; returns how many. */
export function saveAuditCheckpoints(sql: Sql, atMs: number): number {
  const text = `INSERT INTO checkpoints (hub, seq, mac, at_ms)
    SELECT c.hub, c.head_seq, c.head_mac, ? FROM chains c LEFT JOIN checkpoints p ON p.hub = c.hub
    WHERE p.seq IS NULL OR p.seq <> c.head_seq
    ON CONFLICT (hub) DO UPDATE SET seq = excluded.seq, mac = excluded.mac, at_ms = excluded.at_ms`;
  return sql.run(text, atMs);
}

const endReader = createRowReader(Type.Object({ hub_id: Type.String(), seq: Type.Integer(), mac: Bytes }));

/** The ends of all chains that are safe on the disk. */
export function listAuditEnds(sql: Sql): { hub_id: string; seq: number; mac: Uint8Array }[] {
  return endReader.all(sql, 'SELECT c.hub_id, p.seq, p.mac FROM checkpoints p JOIN chains c ON c.hub = p.hub');
}

const statedEndReader = createRowReader(
  Type.Object({
    hub_id: Type.String(),
    seq: Type.Integer(),
    mac: Bytes,
    at_ms: Type.Union([Type.Integer(), Type.Null()]),
    before_seq: Type.Integer(),
    erased_seq: Type.Union([Type.Integer(), Type.Null()]),
  }),
);
/** The end of a chain; `at_ms` is that of its entry, null once retention has deleted it. */
export type AuditEnd = ReturnType<typeof listAuditStatedEnds>[number];

/** The ends of {@link listAuditEnds} with the time of the last entry, and what retention deleted and erased. */
export function listAuditStatedEnds(sql: Sql) {
  const text = `SELECT c.hub_id, p.seq, p.mac, e.at_ms, c.before_seq, c.erased_seq FROM checkpoints p
    JOIN chains c ON c.hub = p.hub LEFT JOIN entries e ON e.hub = p.hub AND e.seq = p.seq ORDER BY c.hub_id`;
  return statedEndReader.all(sql, text);
}

/** Numbers of hubs that have entries but no chain. */
export function listOrphanedHubs(sql: Sql): number[] {
  const text = `WITH RECURSIVE hubs (hub) AS (SELECT min(hub) FROM entries UNION ALL
    SELECT (SELECT min(e.hub) FROM entries e WHERE e.hub > hubs.hub) FROM hubs WHERE hubs.hub IS NOT NULL)
    SELECT hub FROM hubs WHERE hub IS NOT NULL AND hub NOT IN (SELECT hub FROM chains)`;
  return numberReader.all(sql, text).map(({ hub }) => hub);
}

/** The newest checkpoint of a hub. */
export function findAuditCheckpoint(sql: Sql, hub: number): AuditCheckpointRow | undefined {
  return checkpointReader.first(sql, 'SELECT hub, seq, mac, at_ms FROM checkpoints WHERE hub = ?', hub);
}

export function readAuditMeta(sql: Sql, name: 'key'): Uint8Array | undefined {
  return metaReader.first(sql, 'SELECT value FROM meta WHERE name = ?', name)?.value;
}

export function writeAuditMeta(sql: Sql, name: 'key', value: Uint8Array): void {
  sql.execute('INSERT INTO meta (name, value) VALUES (?, ?)', name, value);
}
