/** What the consent page shows, and what is stored on consent: the same for browsers and devices. */
import type { ConsentRequest, GrantHub, OAuthClientView } from '../../../contract/consent-api.ts';
import { vpError } from '../../../errors/vp-error.ts';
import { findHub } from '../../../store/control/hubs/hubs.ts';
import { listPersonMemberships } from '../../../store/control/hubs/members.ts';
import { saveGrantDetails } from '../../../store/control/oauth/grants.ts';
import { extendOAuthClient } from '../../../store/control/oauth/oauth-clients.ts';
import type { IdentityContext } from '../../context.ts';
import { toClientView } from '../clients/client-view.ts';
import { hashOAuthValue } from '../records.ts';
import { type ProtectedResource, parseResource } from '../resources/resources.ts';
import type { OAuthServer } from '../server.ts';
import { describeScopes, getService } from './scope-descriptions.ts';

/** The parameters of an authorization request, as oidc-provider stores them. */
export type AuthorizationRequest = {
  readonly clientId: string;
  readonly redirectUri: string | undefined;
  /** One resource indicator, which the resource rules have accepted. */
  readonly resource: string;
  readonly scopes: readonly string[];
};

export function parseAuthorizationRequest(params: Readonly<Record<string, unknown>>): AuthorizationRequest {
  const getText = (name: string): string => (typeof params[name] === 'string' ? params[name] : '');
  return {
    clientId: getText('client_id'),
    redirectUri: getText('redirect_uri') || undefined,
    resource: getText('resource'),
    scopes: getText('scope').split(' ').filter(Boolean),
  };
}

type ConsentServer = Pick<OAuthServer, 'issuer' | 'provider'>;

function getRequestedResource({ issuer }: ConsentServer, { resource }: AuthorizationRequest): ProtectedResource {
  return parseResource(issuer, resource) ?? { kind: 'none' };
}

/** The hub, if the person is a member. Others must not learn its name. */
async function findMemberHub(
  { database }: IdentityContext,
  resource: ProtectedResource,
  personId: string | undefined,
): Promise<{ id: string; view: GrantHub } | undefined> {
  if (personId === undefined || !('slug' in resource)) return undefined;
  return database.read((sql) => {
    const membership = listPersonMemberships(sql, personId).find(({ slug }) => slug === resource.slug);
    const hub = membership && findHub(sql, membership.hub_id);
    return hub && { id: hub.id, view: { slug: hub.slug, name: hub.name } };
  });
}

/** A client whose metadata document can no longer be fetched is displayed by its id. */
async function loadClientView(
  { provider }: ConsentServer,
  { clientId, redirectUri }: AuthorizationRequest,
): Promise<OAuthClientView> {
  return toClientView(clientId, await provider.Client.find(clientId).catch(() => undefined), redirectUri);
}

/** What the page displays to `personId`, which is undefined before sign-in. */
export async function describeConsent(
  context: IdentityContext,
  server: ConsentServer,
  request: AuthorizationRequest,
  personId: string | undefined,
): Promise<ConsentRequest> {
  const resource = getRequestedResource(server, request);
  const memberHub = await findMemberHub(context, resource, personId);
  const { accessTokenSeconds, refreshTokenSeconds } = context.settings.oauth;
  return {
    client: await loadClientView(server, request),
    service: getService(resource),
    hub: 'slug' in resource ? (memberHub?.view ?? { slug: resource.slug, name: resource.slug }) : null,
    may: describeScopes(request.scopes),
    lasts: { access_ms: accessTokenSeconds * 1000, refresh_ms: refreshTokenSeconds * 1000 },
    member: memberHub !== undefined || !('slug' in resource),
  };
}

/** Creates the grant and returns its id. Throws HUB_MEMBERSHIP_NEEDED when the person is not a member of the hub. */
export async function grantConsent(
  context: IdentityContext,
  server: ConsentServer,
  request: AuthorizationRequest,
  personId: string,
): Promise<string> {
  const resource = getRequestedResource(server, request);
  const memberHub = await findMemberHub(context, resource, personId);
  if ('slug' in resource && !memberHub) throw vpError('HUB_MEMBERSHIP_NEEDED', { hub: resource.slug });
  const client = await loadClientView(server, { ...request, redirectUri: undefined });
  const grant = new server.provider.Grant({ accountId: personId, clientId: request.clientId });
  const scope = request.scopes.join(' ');
  grant.addResourceScope(request.resource, scope);
  // oidc-provider also requires a separate grant of every scope in its configuration.
  grant.addOIDCScope(scope);
  const grantId = await grant.save();
  const hash = hashOAuthValue(context, 'grant', grantId);
  const details = { hubId: memberHub?.id ?? null, clientJson: JSON.stringify(client) };
  const clientHash = hashOAuthValue(context, 'id', request.clientId);
  const keepUntilMs = context.clock.nowMs() + context.settings.oauth.grantedClientSeconds * 1000;
  await context.database.write((sql) => {
    saveGrantDetails(sql, hash, details);
    extendOAuthClient(sql, clientHash, keepUntilMs);
  });
  return grantId;
}
