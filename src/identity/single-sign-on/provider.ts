/** The OpenID Connect provider: discovery, authorization URL and code exchange. */
import type { Configuration } from 'openid-client';
import { vpError } from '../../errors/vp-error.ts';
import type { IdentityContext } from '../context.ts';
import type { ProviderFlow } from './flow.ts';
import { createProviderFetch } from './provider-fetch.ts';
import { type SingleSignOnSettings, singleSignOnTimes } from './settings.ts';

type Library = typeof import('openid-client');
type DiscoveredProvider = { readonly library: Library; readonly configuration: Configuration };

/** The claims of the ID token and the userinfo response, both validated by openid-client. */
export type ExternalIdentity = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
};

/** All methods throw SINGLE_SIGN_ON_UNREACHABLE. */
export type SingleSignOnProvider = {
  buildAuthorizationUrl(flow: ProviderFlow, redirectUri: string): Promise<string>;
  /** Exchanges the code in `query` for the identity. Throws SINGLE_SIGN_ON_DECLINED, SINGLE_SIGN_ON_ANSWER_REFUSED. */
  fetchIdentity(flow: ProviderFlow, redirectUri: string, query: string): Promise<ExternalIdentity>;
};

/** Sends no request yet. */
export function createProvider(context: IdentityContext, settings: SingleSignOnSettings): SingleSignOnProvider {
  const loadProvider = cacheDiscovery(context, settings);
  return {
    async buildAuthorizationUrl({ state, nonce, verifier }, redirectUri) {
      const { library, configuration } = await loadProvider();
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return url.href;
    },
    async fetchIdentity(flow, redirectUri, query) {
      const { library, configuration } = await loadProvider();
      try {
        return await fetchIdentity(library, configuration, flow, new URL(query, redirectUri));
      } catch (error) {
        throw toProviderError(context, settings, library, error);
      }
    },
  };
}

/** Caches the metadata; when it cannot be refreshed, the cached metadata stays in use. */
function cacheDiscovery(context: IdentityContext, settings: SingleSignOnSettings): () => Promise<DiscoveredProvider> {
  const { clock, logSecurityEvent } = context;
  let cached: { readonly provider: DiscoveredProvider; readonly atMs: number } | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let pendingDiscovery: Promise<DiscoveredProvider> | undefined;
  const refresh = async (): Promise<DiscoveredProvider> => {
    try {
      const provider = await discover(settings);
      cached = { provider, atMs: clock.monotonicMs() };
      return provider;
    } catch (error) {
      failedAtMs = clock.monotonicMs();
      const problem = describeError(error);
      logSecurityEvent({ event: 'single_sign_on_unreachable', level: 'warn', issuer: settings.issuer.href, problem });
      if (cached) return cached.provider;
      throw vpError('SINGLE_SIGN_ON_UNREACHABLE', { name: settings.name }, { cause: error, detail: problem });
    } finally {
      pendingDiscovery = undefined;
    }
  };
  return async () => {
    const nowMs = clock.monotonicMs();
    if (cached && nowMs - cached.atMs < singleSignOnTimes.metadataTtlMs) return cached.provider;
    if (nowMs - failedAtMs < singleSignOnTimes.unreachableRetryMs) {
      if (cached) return cached.provider;
      throw vpError('SINGLE_SIGN_ON_UNREACHABLE', { name: settings.name });
    }
    pendingDiscovery ??= refresh();
    return pendingDiscovery;
  };
}

async function discover(settings: SingleSignOnSettings): Promise<DiscoveredProvider> {
  const library = await import('openid-client');
  const { issuer, clientId, clientSecret } = settings;
  const fetch = createProviderFetch(settings, () => AbortSignal.timeout(singleSignOnTimes.responseTimeoutMs));
  const authenticateByBasic = library.ClientSecretBasic(clientSecret);
  const authenticateByPost = library.ClientSecretPost(clientSecret);
  const configuration = await library.discovery(
    issuer,
    clientId,
    {},
    // A provider accepts only methods that it lists; the default is client_secret_basic (OpenID Connect Core section 9).
    (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      (methods.includes('client_secret_basic') ? authenticateByBasic : authenticateByPost)(
        server,
        client,
        body,
        headers,
      );
    },
    {
      [library.customFetch]: fetch,
      timeout: singleSignOnTimes.responseTimeoutMs / 1000,
      // createProviderFetch allows plain http on this machine only. Signatures are verified in addition to TLS.
      execute: [library.allowInsecureRequests, library.enableNonRepudiationChecks],
    },
  );
  configuration.timeout = singleSignOnTimes.responseTimeoutMs / 1000;
  return { library, configuration };
}

async function fetchIdentity(
  library: Library,
  configuration: Configuration,
  { state, nonce, verifier }: ProviderFlow,
  url: URL,
): Promise<ExternalIdentity> {
  const tokens = await library.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const token = tokens.claims();
  if (!token) throw new TypeError('the response has no ID token');
  const userInfo =
    token.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await library.fetchUserInfo(configuration, tokens.access_token, token.sub)
      : {};
  const claims: Readonly<Record<string, unknown>> = { ...userInfo, ...token };
  return {
    issuer: token.iss,
    subject: token.sub,
    name: asNonEmptyText(claims.name),
    email: asNonEmptyText(claims.email),
    isEmailVerified: claims.email_verified === true,
  };
}

const asNonEmptyText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** Includes the cause: that is where `fetch` reports the reason of a network error. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${describeError(error.cause)}` : error.message;
}

function isNetworkError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || error.message === 'fetch failed';
}

function toProviderError(
  { logSecurityEvent }: IdentityContext,
  { name, issuer }: SingleSignOnSettings,
  library: Library,
  error: unknown,
): Error {
  const problem = describeError(error).slice(0, 300);
  if (isNetworkError(error)) {
    logSecurityEvent({ event: 'single_sign_on_unreachable', level: 'warn', issuer: issuer.href, problem });
    return vpError('SINGLE_SIGN_ON_UNREACHABLE', { name }, { cause: error, detail: problem });
  }
  if (error instanceof library.AuthorizationResponseError) {
    const reason = error.error === 'access_denied' ? 'access was denied' : error.error.slice(0, 60);
    return vpError('SINGLE_SIGN_ON_DECLINED', { name, problem: reason });
  }
  return vpError('SINGLE_SIGN_ON_ANSWER_REFUSED', { name }, { cause: error, detail: problem });
}
