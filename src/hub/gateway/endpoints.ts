/** The HTTP endpoints of the hub service. */
import { vpError } from '../../errors/vp-error.ts';
import { memoryScope } from '../../identity/oauth/resources/resources.ts';
import type { HubAuthenticator } from '../access/principal.ts';
import { allHubScopes, findScopeRefusal } from '../access/scopes.ts';
import type { McpReply, McpRequest } from '../downstream/mcp-http.ts';
import type { DirectMemory, DirectMemoryCaller } from './direct-memory.ts';
import type { Gateway } from './gateway.ts';
import type { HublessServer, KnownHub } from './hubless-server.ts';
import {
  type Authenticate,
  type Endpoint,
  MessageAdmission,
  type MessageAdmissionDependencies,
  type UnparsedRequest,
} from './message-admission.ts';
import { anonymousMessageLimits, callerMessageLimits, importLimits } from './message-reader.ts';
import type { RefusalBound } from './refusal-bound.ts';

export type HubEndpoints = {
  /** `/agent/mcp` */
  agent(incoming: UnparsedRequest): Promise<McpReply>;
  /** `/hub/<slug>/mcp` */
  hub(slug: string, incoming: UnparsedRequest): Promise<McpReply>;
  /** `/memory/mcp`, and with a slug `/memory/hub/<slug>/mcp`. `handle` answers a message whose body was read. */
  memory(slug: string | undefined, incoming: UnparsedRequest, handle: HandleMemory): Promise<McpReply>;
  /** `/mcp`, which belongs to no hub and needs no authentication. */
  withoutHub(incoming: UnparsedRequest): Promise<McpReply>;
  close(): Promise<void>;
};

export type HubEndpointsDependencies = MessageAdmissionDependencies & {
  readonly authenticator: HubAuthenticator;
  readonly gateway: Gateway;
  /** Undefined if this control plane has no memory service. */
  readonly directMemory?: DirectMemory | undefined;
  readonly hublessServer: HublessServer;
  readonly refusalBound: Pick<RefusalBound, 'close'>;
  /** The URL of the protected resource metadata of a hub (RFC 9728); undefined if OAuth is not available. */
  readonly resourceMetadata?: (resource: HubResource, request: McpRequest) => string;
};

export type HubResource = { readonly kind: 'hub' | 'memory'; readonly slug: string };

export type HandleMemory = (caller: DirectMemoryCaller, body: unknown) => Promise<Response>;

export function createHubEndpoints(dependencies: HubEndpointsDependencies): HubEndpoints {
  const { authenticator, gateway, directMemory, hublessServer, refusalBound, resourceMetadata } = dependencies;
  const admission = new MessageAdmission(dependencies);
  const createHubEndpoint = (getMetadata: Endpoint['getMetadata']): Endpoint => ({
    limits: callerMessageLimits,
    scope: allHubScopes,
    getMetadata,
    findRefusal: findScopeRefusal,
    respond: (principal, parsed) => gateway.response(principal, parsed),
  });
  return {
    agent: (incoming) =>
      admission.handle(
        (options) => authenticator.agent(incoming.bearer, incoming.address, options),
        incoming,
        createHubEndpoint(() => undefined),
      ),
    hub: (slug, incoming) =>
      admission.handle(
        (options) => authenticator.hub(slug, incoming.bearer, incoming.address, options),
        incoming,
        createHubEndpoint(() => resourceMetadata?.({ kind: 'hub', slug }, incoming.request)),
      ),
    memory(slug, incoming, handleMemory) {
      const { bearer, address, request } = incoming;
      const authenticate: Authenticate = (options) =>
        slug === undefined
          ? authenticator.agent(bearer, address, options)
          : authenticator.memory(slug, bearer, address, options);
      return admission.handle(authenticate, incoming, {
        limits: importLimits,
        scope: memoryScope,
        getMetadata: () => (slug === undefined ? undefined : resourceMetadata?.({ kind: 'memory', slug }, request)),
        // A grant for a hub's memory has one scope.
        findRefusal: () => undefined,
        async respond(principal, { requestId, body, bodyBytes, authenticate: reauthenticate, request: { headers } }) {
          if (!directMemory) throw vpError('ROUTE_UNKNOWN', { method: request.method, path: '/memory/mcp' });
          const message = { requestId, requestBytes: bodyBytes, headers, body };
          const memoryRequest = { principal, ...message, authenticate: reauthenticate };
          return directMemory.respond(memoryRequest, (caller) => handleMemory(caller, body));
        },
      });
    },
    async withoutHub(incoming) {
      const parsed = await admission.read(incoming, anonymousMessageLimits);
      if (parsed instanceof Response) return parsed;
      const { request, body } = parsed;
      const { bearer, address } = incoming;
      const hubs = bearer === undefined ? undefined : await listKnownHubs(authenticator, bearer, address);
      return hublessServer.handle(request, body, { hubs });
    },
    async close() {
      await gateway.close();
      directMemory?.close();
      await refusalBound.close();
      await hublessServer.close();
    },
  };
}

/** The hubs that the token opens; undefined for an invalid token, which is served as well. */
async function listKnownHubs(
  authenticator: HubAuthenticator,
  bearer: string,
  address: string,
): Promise<readonly KnownHub[] | undefined> {
  const decision = await authenticator.agent(bearer, address);
  if (decision.kind === 'in') return [{ slug: decision.principal.hub.slug, role: decision.principal.role }];
  return decision.code === 'membership_required' ? [] : undefined;
}
