import { Type } from '@sinclair/typebox';
import {
  AgentIdentity,
  AgentToken,
  CreateAgentTokenRequest,
  CreateAgentTokenResponse,
} from '../../contract/agents/agent-api.ts';
import { pageSchema } from '../../contract/api.ts';
import { closedSchema, InstancePath } from '../request-schemas.ts';
import { route, type ServerRoute, toSinglePage } from '../route.ts';

const agentTokensPath = '/api/v1/instances/{instance}/agent-tokens';
const TokenPath = Type.Object({ ...InstancePath.properties, agent_token: Type.String({ maxLength: 100 }) });

/** Agent tokens that people create, and what an agent can read about its own. */
export const agentTokenRoutes: readonly ServerRoute[] = [
  route({
    method: 'GET',
    path: agentTokensPath,
    operation: 'listAgentTokens',
    summary: 'Agent tokens of an instance, newest first',
    action: 'instance.change',
    params: InstancePath,
    response: pageSchema(AgentToken),
    handler: async ({ services: { control, identity }, params }) => {
      const { instance_id: instance } = await control.instances.get(params.instance);
      return toSinglePage(await identity.agentTokens.list(instance));
    },
  }),
  route({
    method: 'POST',
    path: agentTokensPath,
    operation: 'createAgentToken',
    summary: 'Create an agent token for one role on this instance; it is returned only here',
    action: 'instance.change',
    params: InstancePath,
    body: closedSchema(CreateAgentTokenRequest),
    response: CreateAgentTokenResponse,
    status: 201,
    handler: async ({ services: { control, identity }, caller, params, body }) => {
      const { instance_id: instance } = await control.instances.get(params.instance);
      return identity.agentTokens.create(caller, instance, body);
    },
  }),
  route({
    method: 'DELETE',
    path: `${agentTokensPath}/{agent_token}`,
    operation: 'endAgentToken',
    summary: 'Revoke an agent token at once',
    action: 'instance.change',
    params: TokenPath,
    handler: ({ services, caller, params }) =>
      services.identity.agentTokens.revoke(caller, params.instance, params.agent_token),
  }),
  route({
    method: 'POST',
    path: `${agentTokensPath}/{agent_token}/rotate`,
    operation: 'rotateAgentToken',
    summary: 'Create a new token under the same id; the old one is revoked at once. It is returned only here',
    action: 'instance.change',
    params: TokenPath,
    response: CreateAgentTokenResponse,
    status: 201,
    handler: ({ services, caller, params }) =>
      services.identity.agentTokens.rotate(caller, params.instance, params.agent_token),
  }),
  route({
    method: 'GET',
    path: '/api/v1/agent',
    operation: 'getAgent',
    summary: 'Instance, role and person of the caller’s token',
    action: 'agent.self',
    filtersByCaller: true,
    response: AgentIdentity,
    handler: async ({ caller: { tokenId, instance, role, person } }) => ({
      agent_token_id: tokenId,
      instance,
      role,
      person,
    }),
  }),
];
