import type { AgentSelf, AgentToken, AgentTokenCreated, AgentTokenNew } from '../contract/agent-api.ts';
import { objectWith } from './answer.ts';
import { at, type Giving, isPage } from './call.ts';
import type { Transport } from './transport.ts';

/** Tokens of agents. */
export type AgentTokensClient = {
  /** The token in the answer is shown once. */
  make(instance: string, input: AgentTokenNew, giving?: Giving): Promise<AgentTokenCreated>;
  list(instance: string, giving?: Giving): Promise<readonly AgentToken[]>;
  /** A new token under the same id; the old one ends at once. The token in the answer is shown once. */
  rotate(instance: string, id: string, giving?: Giving): Promise<AgentTokenCreated>;
  end(instance: string, id: string, giving?: Giving): Promise<void>;
  /** What this client's own token stands for. */
  self(giving?: Giving & { limitMs?: number }): Promise<AgentSelf>;
};

/** The calls of contract/agent-api.ts. */
export function agentTokensOf({ json, nothing }: Transport): AgentTokensClient {
  const isCreated = objectWith<AgentTokenCreated>('agent_token', 'token');
  const isSelf = objectWith<AgentSelf>('instance', 'role', 'person');
  const path = (instance: string, ...more: readonly string[]) => at('instances', instance, 'agent-tokens', ...more);
  return {
    make: (instance, body, giving) => json({ method: 'POST', path: path(instance), body, ...giving }, isCreated),
    list: async (instance, giving) =>
      (await json({ method: 'GET', path: path(instance), ...giving }, isPage<AgentToken>())).items,
    rotate: (instance, id, giving) =>
      json({ method: 'POST', path: path(instance, id, 'rotate'), ...giving }, isCreated),
    end: (instance, id, giving) => nothing({ method: 'DELETE', path: path(instance, id), ...giving }),
    self: (giving) => json({ method: 'GET', path: at('agent'), ...giving }, isSelf),
  };
}
