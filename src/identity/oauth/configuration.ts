/** How the OAuth server is set up. Its issuer stands at the root of the origin, its routes under /oauth. */
import { createHmac } from 'node:crypto';
import type { AdapterFactory, ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { findPerson } from '../../store/control/people.ts';
import type { IdentityContext } from '../context.ts';
import type { Refusals } from './adapter.ts';
import { cliClientId, cliClientName } from './asking-client.ts';
import type { ClientDocuments } from './client-documents.ts';
import { authMethods } from './client-metadata.ts';
import { type RefusedPage, tellRefused } from './refused-requests.ts';
import { resourceRules } from './resource-rules.ts';
import { apiScope, hubScopes, memoryScope } from './resources.ts';
import type { SigningKey } from './signing-key.ts';

/** Where the browser is asked by a page of ours. */
export function interactionPath(uid: string): string {
  return `/interaction/${uid}`;
}

/** The cookie that ties an interaction to its browser; cookies do not know ports, so its name does. */
export function interactionCookie(issuer: string): string {
  return `vp-interaction-${portOf(issuer)}`;
}

/** The OAuth server's own session, which lasts for one authorization. */
export function oauthCookie(issuer: string): string {
  return `vp-oauth-${portOf(issuer)}`;
}

function portOf(issuer: string): string {
  const { port, protocol } = new URL(issuer);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** The header in which our listener tells the address of the caller. */
export const addressHeader = 'x-vp-address';

/** The product's own program. It cannot keep a secret, so it has none. */
const cliClient: ClientMetadata = {
  client_id: cliClientId,
  client_name: cliClientName,
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_types: ['code'],
  // Any port of these (RFC 8252 section 7.3).
  redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
  id_token_signed_response_alg: 'ES256',
};

const routes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  revocation: '/oauth/revoke',
  device_authorization: '/oauth/device-authorization',
  end_session: '/oauth/end-session',
  // A page of ours.
  code_verification: '/device',
};

/** Where the server answers programs and browsers. */
export const oauthPaths: ReadonlySet<string> = new Set([
  routes.authorization,
  routes.token,
  routes.jwks,
  routes.revocation,
  routes.device_authorization,
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
]);

/** Where a browser comes back to from our pages. */
export const resumePath = new RegExp(`^${routes.authorization}/[\\w-]+$`);

/** What the server is made of; without `documents` no program's id is an address. */
export type ServerParts = {
  readonly adapter: AdapterFactory;
  readonly keys: readonly SigningKey[];
  readonly refusals: Refusals;
  readonly documents: ClientDocuments | undefined;
  readonly page: RefusedPage | undefined;
};

/** The configuration. */
export function configurationOf(
  context: IdentityContext,
  issuer: string,
  { adapter, keys, refusals, documents, page }: ServerParts,
): Configuration {
  const { database, settings } = context;
  const { accessSeconds, refreshSeconds, codeSeconds, deviceSeconds, interactionSeconds } = settings.oauth;
  const lax = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    adapter,
    jwks: { keys: keys.map((key) => ({ ...key, kty: 'EC' as const, crv: 'P-256' as const })) },
    clients: [cliClient],
    routes,
    cookies: {
      keys: [createHmac('sha256', context.keys.tokenHashKey).update('oauth-cookies').digest('base64url')],
      names: {
        interaction: interactionCookie(issuer),
        resume: `vp-resume-${portOf(issuer)}`,
        session: oauthCookie(issuer),
      },
      short: { ...lax, path: '/' },
      long: { ...lax, path: '/oauth' },
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    scopes: ['openid', 'offline_access', apiScope, ...hubScopes, memoryScope],
    responseTypes: ['code'],
    ttl: {
      AccessToken: accessSeconds,
      AuthorizationCode: codeSeconds,
      DeviceCode: deviceSeconds,
      Grant: refreshSeconds,
      IdToken: accessSeconds,
      Interaction: interactionSeconds,
      RefreshToken: refreshSeconds,
      Session: interactionSeconds,
    },
    async findAccount(_ctx, sub) {
      const person = await database.read((sql) => findPerson(sql, sub));
      return person && { accountId: sub, claims: async () => ({ sub }) };
    },
    // Each authorization asks anew: what one program was allowed says nothing about the next.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: { url: (_ctx, { uid }) => interactionPath(uid) },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    renderError: refusalBy(page),
    clientBasedCORS: () => false,
    clientDefaults: {
      // Redirects to this machine may name any port (RFC 8252); which addresses there may be at all is our own rule.
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    clientAuthMethods: [...authMethods],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    fetch: documents?.fetch ?? nothingFetched,
    discovery: { registration_endpoint: `${issuer}/oauth/register`, service_documentation: `${issuer}/` },
    features: featuresOf(context, issuer, { refusals, documents }),
  };
}

async function nothingFetched(): Promise<never> {
  throw new TypeError('nothing is fetched');
}

function featuresOf(
  context: IdentityContext,
  issuer: string,
  { refusals, documents }: Pick<ServerParts, 'refusals' | 'documents'>,
): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    // Nothing else is told of in the metadata than what is there and what hubs look at.
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: (ctx) => ({ address: ctx.get(addressHeader), client: ctx.get('user-agent').slice(0, 300) }),
    },
    clientIdMetadataDocument: documents
      ? {
          enabled: true,
          ack: 'draft-02',
          cacheDuration: { min: 300, max: 86_400 },
          allowFetch: async (ctx, clientId) => documents.mayFetch(clientId, ctx?.get(addressHeader)),
        }
      : { enabled: false },
    resourceIndicators: resourceRules(context, issuer, refusals),
  };
}

/** A request that is not even good enough to send its answer back. */
function refusalBy(page: RefusedPage | undefined) {
  return (ctx: KoaContextWithOIDC, { error, error_description: why }: { error: string; error_description?: string }) =>
    tellRefused(ctx, { error, why, ended: resumePath.test(ctx.path) }, page);
}
