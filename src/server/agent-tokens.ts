import { Type } from '@sinclair/typebox';
import { AgentSelf, AgentToken, AgentTokenCreated, AgentTokenNew } from '../contract/agent-api.ts';
import { page } from '../contract/api.ts';
import { closed, InstancePath } from './parameters.ts';
import { route, type ServerRoute } from './route.ts';

const base = '/api/v1/instances/{instance}/agent-tokens';
const TokenPath = Type.Object({ ...InstancePath.properties, agent_token: Type.String({ maxLength: 100 }) });

/** Tokens that people make for their agents, and what an agent learns of its own. */
export const agentTokenRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: base,
    operation: 'listAgentTokens',
    summary: 'Tokens of agents of an instance, newest first',
    action: 'instance.change',
    params: InstancePath,
    answer: page(AgentToken),
    handler: async ({ services: { control, identity }, params }) => {
      const { instance_id: instance } = await control.instances.get(params.instance);
      return { items: await identity.agentTokens.list(instance), next_cursor: null };
    },
  }),
  route({
    method: 'POST',
    path: base,
    operation: 'createAgentToken',
    summary: 'Make a token for an agent: good for one role on this instance; it is shown this once',
    action: 'instance.change',
    params: InstancePath,
    body: closed(AgentTokenNew),
    answer: AgentTokenCreated,
    status: 201,
    handler: async ({ services: { control, identity }, caller, params, body }) => {
      const { instance_id: instance } = await control.instances.get(params.instance);
      return identity.agentTokens.make(caller, instance, body);
    },
  }),
  route({
    method: 'DELETE',
    path: `${base}/{agent_token}`,
    operation: 'endAgentToken',
    summary: 'End a token of an agent at once',
    action: 'instance.change',
    params: TokenPath,
    handler: ({ services, caller, params }) =>
      services.identity.agentTokens.end(caller, params.instance, params.agent_token),
  }),
  route({
    method: 'POST',
    path: `${base}/{agent_token}/rotate`,
    operation: 'rotateAgentToken',
    summary: 'Make a new token under the same id; the old one ends at once. It is shown this once',
    action: 'instance.change',
    params: TokenPath,
    answer: AgentTokenCreated,
    status: 201,
    handler: ({ services, caller, params }) =>
      services.identity.agentTokens.rotate(caller, params.instance, params.agent_token),
  }),
  route({
    method: 'GET',
    path: '/api/v1/agent',
    operation: 'getAgent',
    summary: 'What the caller’s own token stands for',
    action: 'agent.self',
    narrows: true,
    answer: AgentSelf,
    handler: async ({ caller: { tokenId, instance, role, person } }) => ({
      agent_token_id: tokenId,
      instance,
      role,
      person,
    }),
  }),
];
