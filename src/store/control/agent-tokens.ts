/** Tokens of agents. They end with the instance, and with the account of whoever made them. */
import { type Static, Type } from '@sinclair/typebox';
import { rowReader } from '../rows.ts';
import type { Sql } from '../sql.ts';

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
/** A row of `agent_tokens` with its maker (null: the owner key) and whom the instance belongs to. */
export type AgentTokenRow = Static<typeof AgentTokenShape>;

const reader = rowReader(AgentTokenShape);
const select = `SELECT a.id, a.instance_id, a.role, a.name, a.person_id, p.name AS person_name, p.role AS person_role,
  i.owner_id AS instance_owner_id, a.created_at_ms, a.last_used_at_ms
  FROM agent_tokens a JOIN instances i ON i.id = a.instance_id LEFT JOIN people p ON p.id = a.person_id`;

/** Tokens of an instance, newest first. */
export function agentTokensOfInstance(sql: Sql, instance: string): AgentTokenRow[] {
  return reader.all(sql.prepare(`${select} WHERE a.instance_id = ? ORDER BY a.created_at_ms DESC, a.id`), instance);
}

/** The token with this hash. */
export function findAgentToken(sql: Sql, hash: string): AgentTokenRow | undefined {
  return reader.one(sql.prepare(`${select} WHERE a.hash = ?`), hash);
}

/** One token of an instance by its id. */
export function agentTokenOfInstance(sql: Sql, instance: string, id: string): AgentTokenRow | undefined {
  return reader.one(sql.prepare(`${select} WHERE a.instance_id = ? AND a.id = ?`), instance, id);
}

/** A token to be kept. */
export type NewAgentToken = Pick<AgentTokenRow, 'id' | 'instance_id' | 'role' | 'name' | 'person_id'> & {
  readonly hash: string;
  readonly nowMs: number;
};

/** Keeps a token of a registered instance. */
export function insertAgentToken(sql: Sql, token: NewAgentToken): void {
  sql
    .prepare(
      `INSERT INTO agent_tokens (id, instance_id, role, name, person_id, hash, created_at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(token.id, token.instance_id, token.role, token.name, token.person_id, token.hash, token.nowMs);
}

/** Gives a token another secret, which is its new maker's. */
export function replaceAgentToken(
  sql: Sql,
  id: string,
  next: Pick<NewAgentToken, 'hash' | 'person_id' | 'nowMs'>,
): void {
  sql
    .prepare('UPDATE agent_tokens SET hash = ?, person_id = ?, created_at_ms = ?, last_used_at_ms = NULL WHERE id = ?')
    .run(next.hash, next.person_id, next.nowMs, id);
}

/** Notes a use. */
export function touchAgentToken(sql: Sql, id: string, nowMs: number): void {
  sql.prepare('UPDATE agent_tokens SET last_used_at_ms = ? WHERE id = ?').run(nowMs, id);
}

/** Ends a token of this instance; false when there is none. */
export function deleteAgentToken(sql: Sql, instance: string, id: string): boolean {
  return sql.prepare('DELETE FROM agent_tokens WHERE instance_id = ? AND id = ?').run(instance, id).changes === 1;
}

/** Ends all tokens of an instance. */
export function deleteAgentTokensOf(sql: Sql, instance: string): void {
  sql.prepare('DELETE FROM agent_tokens WHERE instance_id = ?').run(instance);
}
