/** The HTTP endpoints of the hub service: authentication, scopes and the responses of refusals. */
import type { Clock } from '../../environment/clock.ts';
import { toRefusalResponse } from '../access/refusals.ts';
import { allHubScopes, findScopeRefusal } from '../access/scopes.ts';
import { endWhenRevoked, isStreamRequest } from '../access/stream-revalidation.ts';
import type { AccessDecision, HubAuthenticator } from '../types.ts';
import type { Gateway, HubRequest } from './gateway.ts';
import type { HublessServer, KnownHub } from './hubless-server.ts';

/** A request with its credential. `bearer` is undefined without the header and empty for another scheme. */
export type UnparsedRequest = {
  readonly request: Request;
  readonly bearer: string | undefined;
  readonly address: string;
  /** Reads and parses the body, only after authentication; returns a response if the body is unusable. */
  read(): Promise<HubRequest | Response>;
};

export type HubEndpoints = {
  /** `/agent/mcp` */
  agent(incoming: UnparsedRequest): Promise<Response>;
  /** `/hub/<slug>/mcp` */
  hub(slug: string, incoming: UnparsedRequest): Promise<Response>;
  /** `/mcp`, which belongs to no hub and needs no authentication. */
  withoutHub(incoming: UnparsedRequest): Promise<Response>;
  close(): Promise<void>;
};

export type HubEndpointsDependencies = {
  readonly authenticator: HubAuthenticator;
  readonly gateway: Gateway;
  readonly hublessServer: HublessServer;
  readonly clock: Pick<Clock, 'after' | 'monotonicMs'>;
  /** The URL of the protected resource metadata of a hub (RFC 9728); undefined if OAuth is not available. */
  readonly resourceMetadata?: (slug: string, request: Request) => string;
};

/** An access decision is reused for this long. */
const maxDecisionAgeMs = 1000;

export function createHubEndpoints({
  authenticator,
  gateway,
  hublessServer,
  clock,
  resourceMetadata,
}: HubEndpointsDependencies): HubEndpoints {
  const handle = async (
    authenticate: () => Promise<AccessDecision>,
    incoming: UnparsedRequest,
    metadata?: string,
  ): Promise<Response> => {
    const firstDecision = await authenticate();
    if (firstDecision.kind === 'refused') return toRefusalResponse(firstDecision, metadata, allHubScopes);
    const startedAtMs = clock.monotonicMs();
    const parsed = await incoming.read();
    if (parsed instanceof Response) return parsed;
    // Slow clients can take minutes to send a body.
    const decision = clock.monotonicMs() - startedAtMs > maxDecisionAgeMs ? await authenticate() : firstDecision;
    if (decision.kind === 'refused') return toRefusalResponse(decision, metadata, allHubScopes);
    const refusal = findScopeRefusal(decision.principal, parsed.body);
    if (!refusal) {
      const response = await gateway.response(decision.principal, parsed);
      if (!isStreamRequest(parsed.request, parsed.body)) return response;
      return endWhenRevoked(response, async () => (await authenticate()).kind === 'in', clock);
    }
    await gateway.auditRefusal(decision.principal, parsed, refusal.code);
    return toRefusalResponse(refusal, metadata);
  };
  return {
    agent: (incoming) => handle(() => authenticator.agent(incoming.bearer, incoming.address), incoming),
    hub: (slug, incoming) =>
      handle(
        () => authenticator.hub(slug, incoming.bearer, incoming.address),
        incoming,
        resourceMetadata?.(slug, incoming.request),
      ),
    async withoutHub({ request, bearer, address, read }) {
      const parsed = await read();
      if (parsed instanceof Response) return parsed;
      const { body } = parsed;
      const hubs = bearer === undefined ? undefined : await listKnownHubs(authenticator, bearer, address);
      return hublessServer.handle(request, body, { hubs });
    },
    async close() {
      await gateway.close();
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
