/** Agent tokens, under /api/v1. An agent is a program in one folder that acts for a person on one instance. */
import { type Static, Type } from '@sinclair/typebox';
import { InstanceId, nullable, Timestamp } from '../schemas.ts';
import { agentRoles } from './agent-token.ts';

export const AgentRoleSchema = Type.Union(agentRoles.map((role) => Type.Literal(role)));
/** The name people give a token, usually the folder it is stored in. */
const Label = Type.String({ minLength: 1, maxLength: 100 });

/** GET /instances/{instance}/agent-tokens: the valid ones. DELETE …/{agent_token} revokes one. */
export const AgentToken = Type.Object({
  agent_token_id: Type.String(),
  instance: InstanceId,
  role: AgentRoleSchema,
  name: nullable(Label),
  /** Who created or last rotated it; it is valid as long as that person may change the instance. */
  made_by: Type.String(),
  created_at: Timestamp,
  /** Accurate to a minute. */
  last_used_at: nullable(Timestamp),
});
export type AgentToken = Static<typeof AgentToken>;

/** POST /instances/{instance}/agent-tokens. */
export const CreateAgentTokenRequest = Type.Object({ role: AgentRoleSchema, name: Type.Optional(Label) });
export type CreateAgentTokenRequest = Static<typeof CreateAgentTokenRequest>;

/** Also the response of POST …/{agent_token}/rotate, which revokes the old secret. The token is returned only here. */
export const CreateAgentTokenResponse = Type.Object({ agent_token: AgentToken, token: Type.String() });
export type CreateAgentTokenResponse = Static<typeof CreateAgentTokenResponse>;

/** GET /agent: the instance, role and person of the caller's token. */
export const AgentIdentity = Type.Object({
  agent_token_id: Type.String(),
  instance: InstanceId,
  role: AgentRoleSchema,
  person: Type.String(),
});
export type AgentIdentity = Static<typeof AgentIdentity>;
