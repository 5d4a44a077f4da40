/** Which resources programs may ask for, and what their tokens are good for (RFC 8707). */
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { grantFacts } from '../../store/control/identity-hub-grants.ts';
import type { IdentityContext } from '../context.ts';
import type { Refusals } from './adapter.ts';
import { cliClientId } from './asking-client.ts';
import { oauthHash } from './records.ts';
import { apiAudience, hubAudience, type Resource, resourceOf, scopesOf } from './resources.ts';

type Rules = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>;

/** What somebody is told who asks for no hub. */
function noHub(issuer: string): string {
  return `no hub is named: connect to ${issuer}/hub/<slug>/mcp, whose resource is ${issuer}/hub/<slug>`;
}

/** The rules of the server at `issuer`. */
export function resourceRules(context: IdentityContext, issuer: string, refusals: Refusals): Rules {
  return {
    enabled: true,
    defaultResource: async (_ctx, client, oneOf) => {
      if (oneOf !== undefined) throw refusals.target('name exactly one resource');
      if (client.clientId === cliClientId) return apiAudience(issuer);
      throw refusals.target(noHub(issuer));
    },
    useGrantedResource: async () => true,
    getResourceServerInfo: async (ctx, indicator, client) => {
      const resource = admitted(issuer, refusals, { ctx, indicator, isOurs: client.clientId === cliClientId });
      narrowScopes(ctx, resource);
      return {
        scope: scopesOf(resource).join(' '),
        accessTokenFormat: 'opaque',
        accessTokenTTL: context.settings.oauth.accessSeconds,
        audience: await audienceOf(context, issuer, ctx, resource),
      };
    },
  };
}

type Wanted = { readonly ctx: KoaContextWithOIDC; readonly indicator: string; readonly isOurs: boolean };

/** Our own program is for the API, every other for hubs: nobody registers a program that is everything its person is. */
function admitted(issuer: string, refusals: Refusals, { ctx, indicator, isOurs }: Wanted): Resource {
  if (Array.isArray(ctx.oidc.params?.resource)) throw refusals.target('name exactly one resource');
  const resource = resourceOf(issuer, indicator);
  if (resource?.kind === 'none') throw refusals.target(noHub(issuer));
  if (!resource || (resource.kind === 'api') !== isOurs) {
    throw refusals.target(
      isOurs ? undefined : `this resource is not to be had; the resource of a hub is ${issuer}/hub/<slug>`,
    );
  }
  return resource;
}

/**
 * Refuses a token for anything but what was allowed before the code or the refresh token is used up: a program that asks for
 * another resource by mistake keeps its sign-in. `asked` is the parameter of the request, of which there may be several.
 */
export function refuseOtherResource(issuer: string, refusals: Refusals, asked: unknown, granted: unknown): void {
  if (asked === undefined || asked === '' || asked === granted) return;
  if (typeof asked !== 'string') throw refusals.target('name exactly one resource');
  if (resourceOf(issuer, asked)?.kind === 'none') throw refusals.target(noHub(issuer));
  throw refusals.target(
    'this is not the resource that the program was let into; leave it out, or name that one exactly',
  );
}

/** What is asked of a person is about the resource alone; whoever names no scope of it asks for all. */
function narrowScopes({ oidc }: KoaContextWithOIDC, resource: Resource): void {
  const { params } = oidc;
  if (!params || (oidc.route !== 'authorization' && oidc.route !== 'device_authorization')) return;
  const asked = typeof params.scope === 'string' ? params.scope.split(' ') : [];
  const known = scopesOf(resource);
  const kept = known.filter((scope) => asked.includes(scope));
  params.scope = (kept.length > 0 ? kept : known).join(' ');
}

/** A hub's id comes from the grant: the slug may have another holder since. */
async function audienceOf(
  context: IdentityContext,
  issuer: string,
  { oidc }: KoaContextWithOIDC,
  resource: Resource,
): Promise<string> {
  if (resource.kind !== 'hub' && resource.kind !== 'memory') return apiAudience(issuer);
  const grantId = oidc.entities.Grant?.jti;
  if (grantId === undefined) return hubAudience(resource.kind, undefined);
  const facts = await context.database.read((sql) => grantFacts(sql, oauthHash(context, 'grant', grantId)));
  return hubAudience(resource.kind, facts?.hub_id ?? undefined);
}
