/** Which resources a client may request, and the audience and scopes of their tokens (RFC 8707). */
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { findGrantDetails } from '../../../store/control/oauth/grants.ts';
import type { IdentityContext } from '../../context.ts';
import type { OAuthErrors } from '../adapter.ts';
import { cliClientId } from '../clients/client-view.ts';
import { hashOAuthValue } from '../records.ts';
import { buildApiAudience, buildHubAudience, listScopes, type ProtectedResource, parseResource } from './resources.ts';

type ResourceRules = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>;

function describeMissingHub(issuer: string): string {
  return `no hub is named: connect to ${issuer}/hub/<slug>/mcp, whose resource is ${issuer}/hub/<slug>`;
}

/** The `resourceIndicators` feature of oidc-provider. */
export function buildResourceRules(context: IdentityContext, issuer: string, errors: OAuthErrors): ResourceRules {
  return {
    enabled: true,
    defaultResource: async (_ctx, client, candidates) => {
      if (candidates !== undefined) throw errors.invalidTarget('name exactly one resource');
      if (client.clientId === cliClientId) return buildApiAudience(issuer);
      throw errors.invalidTarget(describeMissingHub(issuer));
    },
    useGrantedResource: async () => true,
    getResourceServerInfo: async (ctx, indicator, client) => {
      const resource = parseRequestedResource(issuer, errors, {
        ctx,
        indicator,
        isCliClient: client.clientId === cliClientId,
      });
      narrowRequestedScopes(ctx, resource);
      return {
        scope: listScopes(resource).join(' '),
        accessTokenFormat: 'opaque',
        accessTokenTTL: context.settings.oauth.accessTokenSeconds,
        audience: await getAudience(context, issuer, ctx, resource),
      };
    },
  };
}

type ResourceRequest = { readonly ctx: KoaContextWithOIDC; readonly indicator: string; readonly isCliClient: boolean };

/** Only the command line's client may request the API, and only others may request hubs: no registered client gets all of a person's rights. */
function parseRequestedResource(
  issuer: string,
  errors: OAuthErrors,
  { ctx, indicator, isCliClient }: ResourceRequest,
): ProtectedResource {
  if (Array.isArray(ctx.oidc.params?.resource)) throw errors.invalidTarget('name exactly one resource');
  const resource = parseResource(issuer, indicator);
  if (resource?.kind === 'none') throw errors.invalidTarget(describeMissingHub(issuer));
  if (!resource || (resource.kind === 'api') !== isCliClient) {
    throw errors.invalidTarget(
      isCliClient ? undefined : `this resource is not available; the resource of a hub is ${issuer}/hub/<slug>`,
    );
  }
  return resource;
}

/**
 * Throws invalid_target for any resource but the granted one. It runs before the code or refresh token is consumed, so a
 * client that requests another resource by mistake keeps its sign-in. `requestedResource` is the raw request parameter.
 */
export function assertGrantedResource(
  issuer: string,
  errors: OAuthErrors,
  requestedResource: unknown,
  granted: unknown,
): void {
  if (requestedResource === undefined || requestedResource === '' || requestedResource === granted) return;
  if (typeof requestedResource !== 'string') throw errors.invalidTarget('name exactly one resource');
  if (parseResource(issuer, requestedResource)?.kind === 'none') throw errors.invalidTarget(describeMissingHub(issuer));
  throw errors.invalidTarget(
    'this is not the granted resource; omit the parameter, or name the granted resource exactly',
  );
}

/** Limits the requested scopes to those of the resource; a client that requests none of them gets all. */
function narrowRequestedScopes({ oidc }: KoaContextWithOIDC, resource: ProtectedResource): void {
  const { params } = oidc;
  if (!params || (oidc.route !== 'authorization' && oidc.route !== 'device_authorization')) return;
  const requestedScopes = typeof params.scope === 'string' ? params.scope.split(' ') : [];
  const available = listScopes(resource);
  const selected = available.filter((scope) => requestedScopes.includes(scope));
  params.scope = (selected.length > 0 ? selected : available).join(' ');
}

/** The hub's id comes from the grant: the slug may belong to another hub meanwhile. */
async function getAudience(
  context: IdentityContext,
  issuer: string,
  { oidc }: KoaContextWithOIDC,
  resource: ProtectedResource,
): Promise<string> {
  if (resource.kind !== 'hub' && resource.kind !== 'memory') return buildApiAudience(issuer);
  const grantId = oidc.entities.Grant?.jti;
  if (grantId === undefined) return buildHubAudience(resource.kind, undefined);
  const details = await context.database.read((sql) =>
    findGrantDetails(sql, hashOAuthValue(context, 'grant', grantId)),
  );
  return buildHubAudience(resource.kind, details?.hub_id ?? undefined);
}
