/** Tokens of agents, under /api/v1. An agent is a program in one folder that acts for a person on one instance. */
import { type Static, Type } from '@sinclair/typebox';
import { agentRoles } from './agent-token.ts';
import { InstanceId, Moment, nullable } from './words.ts';

/** Schema of {@link import('./agent-token.ts').AgentRole}. */
export const AgentRoleSchema = Type.Union(agentRoles.map((role) => Type.Literal(role)));
/** What people know a token by: the folder it stands in. */
const Label = Type.String({ minLength: 1, maxLength: 100 });

/** GET /instances/{instance}/agent-tokens: those that hold. DELETE …/{agent_token} ends one. */
export const AgentToken = Type.Object({
  agent_token_id: Type.String(),
  instance: InstanceId,
  role: AgentRoleSchema,
  name: nullable(Label),
  /** Who made or last rotated it; it holds as long as they may change the instance. */
  made_by: Type.String(),
  created_at: Moment,
  /** Within a minute. */
  last_used_at: nullable(Moment),
});
/** See {@link AgentToken}. */
export type AgentToken = Static<typeof AgentToken>;

/** POST /instances/{instance}/agent-tokens. */
export const AgentTokenNew = Type.Object({ role: AgentRoleSchema, name: Type.Optional(Label) });
/** See {@link AgentTokenNew}. */
export type AgentTokenNew = Static<typeof AgentTokenNew>;

/** Answer to making, and to POST …/{agent_token}/rotate, which ends the old secret. The token is shown this once. */
export const AgentTokenCreated = Type.Object({ agent_token: AgentToken, token: Type.String() });
/** See {@link AgentTokenCreated}. */
export type AgentTokenCreated = Static<typeof AgentTokenCreated>;

/** GET /agent: what the caller's own token stands for. */
export const AgentSelf = Type.Object({
  agent_token_id: Type.String(),
  instance: InstanceId,
  role: AgentRoleSchema,
  person: Type.String(),
});
/** See {@link AgentSelf}. */
export type AgentSelf = Static<typeof AgentSelf>;
