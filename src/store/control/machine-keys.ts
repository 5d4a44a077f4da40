/** Keys of machines. Each ends with its instance, and with the account of whoever made it. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const MachineKeyShape = Type.Object({
  instance_id: Type.String(),
  person_id: nullableText,
  person_role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer'), Type.Null()]),
  instance_owner_id: nullableText,
});
/** What a key is for, its maker (null: the owner key), and whom the instance belongs to. */
export type MachineKeyRow = Static<typeof MachineKeyShape>;

const reader = rowReader(MachineKeyShape);

/** The key with this hash. */
export function findMachineKey(sql: Sql, hash: string): MachineKeyRow | undefined {
  const select = `SELECT m.instance_id, m.person_id, p.role AS person_role, i.owner_id AS instance_owner_id
    FROM machine_keys m JOIN instances i ON i.id = m.instance_id LEFT JOIN people p ON p.id = m.person_id`;
  return reader.one(sql.prepare(`${select} WHERE m.hash = ?`), hash);
}

/** A key to be kept. */
export type NewMachineKey = Pick<MachineKeyRow, 'instance_id' | 'person_id'> & {
  readonly hash: string;
  readonly nowMs: number;
};

/** Keeps a key of a registered instance. */
export function insertMachineKey(sql: Sql, { hash, instance_id, person_id, nowMs }: NewMachineKey): void {
  sql
    .prepare('INSERT INTO machine_keys (hash, instance_id, person_id, created_at_ms) VALUES (?, ?, ?, ?)')
    .run(hash, instance_id, person_id, nowMs);
}
