/** The configuration of oidc-provider. The issuer is the root of the origin; the routes are under /oauth. */
import { createHmac } from 'node:crypto';
import type { AdapterFactory, ClientMetadata, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { findPerson } from '../../store/control/identity/people.ts';
import type { IdentityContext } from '../context.ts';
import type { OAuthErrors } from './adapter.ts';
import type { ClientDocumentFetcher } from './clients/client-documents.ts';
import { supportedAuthMethods } from './clients/client-metadata.ts';
import { cliClientId, cliClientName } from './clients/client-view.ts';
import { type RenderErrorPage, sendErrorResponse } from './error-responses/error-response.ts';
import { buildResourceRules } from './resources/resource-rules.ts';
import { apiScope, hubScopes, memoryScope } from './resources/resources.ts';
import type { SigningKey } from './signing-key.ts';

/** The page at which a person signs in or consents. */
function buildInteractionPath(uid: string): string {
  return `/interaction/${uid}`;
}

/** The cookie that binds an interaction to its browser. Its name contains the port, because cookies ignore ports. */
export function getInteractionCookieName(issuer: string): string {
  return `vp-interaction-${getPort(issuer)}`;
}

/** The cookie of oidc-provider's own session, which lasts for one authorization. */
export function getOAuthCookieName(issuer: string): string {
  return `vp-oauth-${getPort(issuer)}`;
}

function getPort(issuer: string): string {
  const { port, protocol } = new URL(issuer);
  return port || (protocol === 'https:' ? '443' : '80');
}

/** The header in which our listener passes the client's IP address. */
export const addressHeader = 'x-vp-address';

/** The command line's client. It is public: it cannot keep a secret. */
const cliClient: ClientMetadata = {
  client_id: cliClientId,
  client_name: cliClientName,
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
  response_types: ['code'],
  // On any port (RFC 8252 section 7.3).
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
  // A page of the console.
  code_verification: '/device',
};

/** The fixed paths of the OAuth server. */
export const oauthPaths: ReadonlySet<string> = new Set([
  routes.authorization,
  routes.token,
  routes.jwks,
  routes.revocation,
  routes.device_authorization,
  '/.well-known/openid-configuration',
  '/.well-known/oauth-authorization-server',
]);

/** The path at which a browser returns from our pages. */
export const oauthResumePath = new RegExp(`^${routes.authorization}/[\\w-]+$`);

/** Without `documentFetcher`, client ids cannot be URLs. */
export type OAuthServerOptions = {
  readonly adapter: AdapterFactory;
  readonly keys: readonly SigningKey[];
  readonly errors: OAuthErrors;
  readonly documentFetcher: ClientDocumentFetcher | undefined;
  readonly errorPage: RenderErrorPage | undefined;
};

export function buildOAuthServerConfiguration(
  context: IdentityContext,
  issuer: string,
  { adapter, keys, errors, documentFetcher, errorPage }: OAuthServerOptions,
): Configuration {
  const { database, settings } = context;
  const { accessTokenSeconds, refreshTokenSeconds, authorizationCodeSeconds, deviceCodeSeconds, interactionSeconds } =
    settings.oauth;
  const laxCookie = { httpOnly: true, sameSite: 'lax', signed: true } as const;
  return {
    adapter,
    jwks: { keys: keys.map((key) => ({ ...key, kty: 'EC' as const, crv: 'P-256' as const })) },
    clients: [cliClient],
    routes,
    cookies: {
      keys: [createHmac('sha256', context.keys.tokenHashKey).update('oauth-cookies').digest('base64url')],
      names: {
        interaction: getInteractionCookieName(issuer),
        resume: `vp-resume-${getPort(issuer)}`,
        session: getOAuthCookieName(issuer),
      },
      short: { ...laxCookie, path: '/' },
      long: { ...laxCookie, path: '/oauth' },
    },
    pkce: { required: () => true },
    allowOmittingSingleRegisteredRedirectUri: false,
    scopes: ['openid', 'offline_access', apiScope, ...hubScopes, memoryScope],
    responseTypes: ['code'],
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: authorizationCodeSeconds,
      DeviceCode: deviceCodeSeconds,
      Grant: refreshTokenSeconds,
      IdToken: accessTokenSeconds,
      Interaction: interactionSeconds,
      RefreshToken: refreshTokenSeconds,
      Session: interactionSeconds,
    },
    async findAccount(_ctx, sub) {
      const person = await database.read((sql) => findPerson(sql, sub));
      return person && { accountId: sub, claims: async () => ({ sub }) };
    },
    // Every authorization needs a new consent.
    loadExistingGrant: async (ctx) => {
      const grantId = ctx.oidc.result?.consent?.grantId;
      return grantId === undefined ? undefined : ctx.oidc.provider.Grant.find(grantId);
    },
    interactions: { url: (_ctx, { uid }) => buildInteractionPath(uid) },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    renderError: createErrorRenderer(errorPage),
    clientBasedCORS: () => false,
    clientDefaults: {
      // Allows any port in loopback redirects (RFC 8252). client-urls.ts decides which redirect URIs are allowed at all.
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    clientAuthMethods: [...supportedAuthMethods],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    fetch: documentFetcher?.fetch ?? rejectFetch,
    discovery: { registration_endpoint: `${issuer}/oauth/register`, service_documentation: `${issuer}/` },
    features: buildFeatures(context, issuer, { errors, documentFetcher }),
  };
}

async function rejectFetch(): Promise<never> {
  throw new TypeError('nothing is fetched');
}

function buildFeatures(
  context: IdentityContext,
  issuer: string,
  { errors, documentFetcher }: Pick<OAuthServerOptions, 'errors' | 'documentFetcher'>,
): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    userinfo: { enabled: false },
    // The metadata advertises only what is supported and what hubs read.
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      deviceInfo: (ctx) => ({ address: ctx.get(addressHeader), client: ctx.get('user-agent').slice(0, 300) }),
    },
    clientIdMetadataDocument: documentFetcher
      ? {
          enabled: true,
          ack: 'draft-02',
          cacheDuration: { min: 300, max: 86_400 },
          allowFetch: async (ctx, clientId) => documentFetcher.mayFetch(clientId, ctx?.get(addressHeader)),
        }
      : { enabled: false },
    resourceIndicators: buildResourceRules(context, issuer, errors),
  };
}

/** Renders errors of requests that have no valid redirect URI. */
function createErrorRenderer(errorPage: RenderErrorPage | undefined) {
  return (
    ctx: KoaContextWithOIDC,
    { error, error_description: description }: { error: string; error_description?: string },
  ) => sendErrorResponse(ctx, { error, description, isExpired: oauthResumePath.test(ctx.path) }, errorPage);
}
