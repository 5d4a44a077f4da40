/** The provider itself: its metadata, the way to its pages, and what it says of whoever comes back. */
import type { Configuration } from 'openid-client';
import { vpError } from '../../errors/vp-error.ts';
import type { IdentityContext } from '../context.ts';
import type { AskedFlow } from './flow.ts';
import { providerFetch } from './provider-fetch.ts';
import { type SingleSignOnSettings, singleSignOnTimes } from './settings.ts';

type Library = typeof import('openid-client');
type Ready = { readonly library: Library; readonly configuration: Configuration };

/** What is used of the ID token and the userinfo answer, both checked by the library. */
export type Outsider = {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly isEmailVerified: boolean;
};

/** All methods throw SINGLE_SIGN_ON_UNREACHABLE. */
export type Provider = {
  /** Where the browser is sent. */
  authorizationUrl(flow: AskedFlow, redirectUri: string): Promise<string>;
  /** Who came back with `query`. Throws SINGLE_SIGN_ON_DECLINED, SINGLE_SIGN_ON_ANSWER_REFUSED. */
  outsider(flow: AskedFlow, redirectUri: string, query: string): Promise<Outsider>;
};

/** Nothing is asked of it yet. */
export function providerOf(context: IdentityContext, settings: SingleSignOnSettings): Provider {
  const ready = keptReady(context, settings);
  return {
    async authorizationUrl({ state, nonce, verifier }, redirectUri) {
      const { library, configuration } = await ready();
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
    async outsider(flow, redirectUri, query) {
      const { library, configuration } = await ready();
      try {
        return await outsider(library, configuration, flow, new URL(query, redirectUri));
      } catch (error) {
        throw problemOf(context, settings, library, error);
      }
    },
  };
}

/** Metadata are kept for an hour; when they cannot be had again the old ones go on. */
function keptReady(context: IdentityContext, settings: SingleSignOnSettings): () => Promise<Ready> {
  const { clock, tell } = context;
  let kept: { readonly ready: Ready; readonly atMs: number } | undefined;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<Ready> | undefined;
  const ask = async (): Promise<Ready> => {
    try {
      const ready = await discover(settings);
      kept = { ready, atMs: clock.monotonicMs() };
      return ready;
    } catch (error) {
      failedAtMs = clock.monotonicMs();
      const problem = reasonOf(error);
      tell({ event: 'single_sign_on_unreachable', level: 'warn', issuer: settings.issuer.href, problem });
      if (kept) return kept.ready;
      throw vpError('SINGLE_SIGN_ON_UNREACHABLE', { name: settings.name }, { cause: error, detail: problem });
    } finally {
      asking = undefined;
    }
  };
  return async () => {
    const nowMs = clock.monotonicMs();
    if (kept && nowMs - kept.atMs < singleSignOnTimes.metadataMs) return kept.ready;
    if (nowMs - failedAtMs < singleSignOnTimes.unreachableMs) {
      if (kept) return kept.ready;
      throw vpError('SINGLE_SIGN_ON_UNREACHABLE', { name: settings.name });
    }
    asking ??= ask();
    return asking;
  };
}

async function discover(settings: SingleSignOnSettings): Promise<Ready> {
  const library = await import('openid-client');
  const { issuer, clientId, clientSecret } = settings;
  const fetch = providerFetch(settings, () => AbortSignal.timeout(singleSignOnTimes.answerMs));
  const byBasic = library.ClientSecretBasic(clientSecret);
  const byPost = library.ClientSecretPost(clientSecret);
  const configuration = await library.discovery(
    issuer,
    clientId,
    {},
    // What a provider does not list it does not take; basic is the one that all have (OpenID Connect Core section 9).
    (server, client, body, headers) => {
      const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
      (methods.includes('client_secret_basic') ? byBasic : byPost)(server, client, body, headers);
    },
    {
      [library.customFetch]: fetch,
      timeout: singleSignOnTimes.answerMs / 1000,
      // Our own fetch lets plain http pass on this machine only. Signatures are checked although the way there is TLS.
      execute: [library.allowInsecureRequests, library.enableNonRepudiationChecks],
    },
  );
  configuration.timeout = singleSignOnTimes.answerMs / 1000;
  return { library, configuration };
}

async function outsider(
  library: Library,
  configuration: Configuration,
  { state, nonce, verifier }: AskedFlow,
  url: URL,
): Promise<Outsider> {
  const tokens = await library.authorizationCodeGrant(configuration, url, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  });
  const token = tokens.claims();
  if (!token) throw new TypeError('there is no ID token');
  const more =
    token.email === undefined && configuration.serverMetadata().userinfo_endpoint !== undefined
      ? await library.fetchUserInfo(configuration, tokens.access_token, token.sub)
      : {};
  const claims: Readonly<Record<string, unknown>> = { ...more, ...token };
  return {
    issuer: token.iss,
    subject: token.sub,
    name: textOf(claims.name),
    email: textOf(claims.email),
    isEmailVerified: claims.email_verified === true,
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** Network faults come as they are, or wrapped; `fetch` tells its reason in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${reasonOf(error.cause)}` : error.message;
}

function isNetworkFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || error.message === 'fetch failed';
}

function problemOf(
  { tell }: IdentityContext,
  { name, issuer }: SingleSignOnSettings,
  library: Library,
  error: unknown,
): Error {
  const problem = reasonOf(error).slice(0, 300);
  if (isNetworkFault(error)) {
    tell({ event: 'single_sign_on_unreachable', level: 'warn', issuer: issuer.href, problem });
    return vpError('SINGLE_SIGN_ON_UNREACHABLE', { name }, { cause: error, detail: problem });
  }
  if (error instanceof library.AuthorizationResponseError) {
    const why = error.error === 'access_denied' ? 'you were refused, or refused yourself' : error.error.slice(0, 60);
    return vpError('SINGLE_SIGN_ON_DECLINED', { name, problem: why });
  }
  return vpError('SINGLE_SIGN_ON_ANSWER_REFUSED', { name }, { cause: error, detail: problem });
}
