/** Agent tokens. They end with the instance, and with the account of the person who created them. */
import { type Static, Type } from '@sinclair/typebox';
import { createRowReader } from '../../row-reader.ts';
import type { Sql } from '../../sql.ts';

const nullableText = Type.Union([Type.String(), Type.Null()]);
const AgentTokenShape = Type.Object({
  id: Type.String(),
  instance_id: Type.String(),
  role: Type.Union([Type.Literal('test'), Type.Literal('product')]),
  name: nullableText,
  person_id: nullableText,
  person_name: nullableText,
  person_role: Type.Union([Type.Literal('owner'), Type.Literal('member'), Type.Literal('viewer'), Type.Null()]),
  instance_owner_id: nullableText,
  created_at_ms: Type.Integer(),
  last_used_at_ms: Type.Union([Type.Integer(), Type.Null()]),
});
/** A row of `agent_tokens` with its creator (null: the owner key) and the owner of the instance. */
export type AgentTokenRow = Static<typeof AgentTokenShape>;

const reader = createRowReader(AgentTokenShape);
const select = `SELECT a.id, a.instance_id, a.role, a.name, a.person_id, p.name AS person_name, p.role AS person_role,
  i.owner_id AS instance_owner_id, a.created_at_ms, a.last_used_at_ms
  FROM agent_tokens a JOIN instances i ON i.id = a.instance_id LEFT JOIN people p ON p.id = a.person_id`;

/** Newest first. */
export function listAgentTokens(sql: Sql, instance: string): AgentTokenRow[] {
  return reader.all(sql, `${select} WHERE a.instance_id = ? ORDER BY a.created_at_ms DESC, a.id`, instance);
}

export function listAgentTokensByCreator(sql: Sql, personId: string): AgentTokenRow[] {
  return reader.all(sql, `${select} WHERE a.person_id = ? ORDER BY a.id`, personId);
}

export function findAgentTokenByHash(sql: Sql, hash: string): AgentTokenRow | undefined {
  return reader.first(sql, `${select} WHERE a.hash = ?`, hash);
}

export function findAgentToken(sql: Sql, instance: string, id: string): AgentTokenRow | undefined {
  return reader.first(sql, `${select} WHERE a.instance_id = ? AND a.id = ?`, instance, id);
}

export type NewAgentToken = Pick<AgentTokenRow, 'id' | 'instance_id' | 'role' | 'name' | 'person_id'> & {
  readonly hash: string;
  readonly nowMs: number;
};

export function insertAgentToken(sql: Sql, token: NewAgentToken): void {
  sql.execute(
    `INSERT INTO agent_tokens (id, instance_id, role, name, person_id, hash, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    token.id,
    token.instance_id,
    token.role,
    token.name,
    token.person_id,
    token.hash,
    token.nowMs,
  );
}

/** Gives a token another secret and creator. */
export function replaceAgentToken(
  sql: Sql,
  id: string,
  next: Pick<NewAgentToken, 'hash' | 'person_id' | 'nowMs'>,
): void {
  sql.execute(
    'UPDATE agent_tokens SET hash = ?, person_id = ?, created_at_ms = ?, last_used_at_ms = NULL WHERE id = ?',
    next.hash,
    next.person_id,
    next.nowMs,
    id,
  );
}

export function touchAgentToken(sql: Sql, id: string, nowMs: number): void {
  sql.execute('UPDATE agent_tokens SET last_used_at_ms = ? WHERE id = ?', nowMs, id);
}

/** False when there is none. */
export function deleteAgentToken(sql: Sql, instance: string, id: string): boolean {
  return sql.run('DELETE FROM agent_tokens WHERE instance_id = ? AND id = ?', instance, id) === 1;
}

export function deleteAgentTokens(sql: Sql, instance: string): void {
  sql.execute('DELETE FROM agent_tokens WHERE instance_id = ?', instance);
}
