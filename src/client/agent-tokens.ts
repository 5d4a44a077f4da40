import type {
  AgentIdentity,
  AgentToken,
  CreateAgentTokenRequest,
  CreateAgentTokenResponse,
} from '../contract/agents/agent-api.ts';
import { apiPath, type CallOptions, createPageTypeGuard } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import type { Transport } from './transport/transport.ts';

export type AgentTokensClient = {
  /** The token is returned only here. */
  create(instance: string, input: CreateAgentTokenRequest, options?: CallOptions): Promise<CreateAgentTokenResponse>;
  list(instance: string, options?: CallOptions): Promise<readonly AgentToken[]>;
  /** A new token under the same id; the old one is revoked at once. */
  rotate(instance: string, id: string, options?: CallOptions): Promise<CreateAgentTokenResponse>;
  revoke(instance: string, id: string, options?: CallOptions): Promise<void>;
  /** Instance, role and person of this client's own token. */
  getIdentity(options?: CallOptions & { timeoutMs?: number }): Promise<AgentIdentity>;
};

export function createAgentTokensClient({ json, noContent }: Transport): AgentTokensClient {
  const isCreated = createObjectGuard<CreateAgentTokenResponse>('agent_token', 'token');
  const isIdentity = createObjectGuard<AgentIdentity>('instance', 'role', 'person');
  const path = (instance: string, ...segments: readonly string[]) =>
    apiPath('instances', instance, 'agent-tokens', ...segments);
  return {
    create: (instance, body, options) => json({ method: 'POST', path: path(instance), body, ...options }, isCreated),
    list: async (instance, options) =>
      (await json({ method: 'GET', path: path(instance), ...options }, createPageTypeGuard<AgentToken>())).items,
    rotate: (instance, id, options) =>
      json({ method: 'POST', path: path(instance, id, 'rotate'), ...options }, isCreated),
    revoke: (instance, id, options) => noContent({ method: 'DELETE', path: path(instance, id), ...options }),
    getIdentity: (options) => json({ method: 'GET', path: apiPath('agent'), ...options }, isIdentity),
  };
}
