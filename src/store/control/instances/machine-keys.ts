/** Machine keys. Each ends with its instance, and with the account of the person who created it. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const MachineKeyShape = Type.Object({
  instance_id: Type.String(),
  person_id: nullableText,
  person_role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer'), Type.Null()]),
  instance_owner_id: nullableText,
});
/** A key with its creator (null: the owner key) and the owner of the instance. */
export type MachineKeyRow = Static<typeof MachineKeyShape>;

const reader = createRowReader(MachineKeyShape);

export function findMachineKey(sql: Sql, hash: string): MachineKeyRow | undefined {
  const select = `SELECT m.instance_id, m.person_id, p.role AS person_role, i.owner_id AS instance_owner_id
    FROM machine_keys m JOIN instances i ON i.id = m.instance_id LEFT JOIN people p ON p.id = m.person_id`;
  return reader.first(sql, `${select} WHERE m.hash = ?`, hash);
}

export type NewMachineKey = Pick<MachineKeyRow, 'instance_id' | 'person_id'> & {
  readonly hash: string;
  readonly nowMs: number;
};

export function insertMachineKey(sql: Sql, { hash, instance_id, person_id, nowMs }: NewMachineKey): void {
  sql.execute(
    'INSERT INTO machine_keys (hash, instance_id, person_id, created_at_ms) VALUES (?, ?, ?, ?)',
    hash,
    instance_id,
    person_id,
    nowMs,
  );
}
