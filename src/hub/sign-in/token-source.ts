/**
 * Access tokens for upstream servers: unsealed for each use and refreshed within the call that needs it, once for all
 * waiting calls. A rejected refresh ends the sign-in; an unanswered one does not.
 */
import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';
import { toUpstreamError } from '../upstream/upstream-error.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { readGrant, type StoredTokens, updateStoredGrant } from './stored-grant.ts';
import { describeNoAnswer } from './unanswered-error.ts';

export type TokenSourceDependencies = {
  readonly secrets: ConnectionSecrets;
  readonly clock: Clock;
  readonly fetch: GuardedFetch['fetch'];
};

/** Maximum time before expiry at which a token is refreshed, so that it does not expire in transit. */
const maxEarlyRenewalMs = 30_000;
const responseTimeoutMs = 10_000;
/** Enough for calls in progress while tokens are refreshed. */
const maxRememberedTokens = 4;

/** Refreshes in progress by holder: a refresh token can be used once. */
const renewals = new WeakMap<ConnectionSecrets, Map<string, Promise<StoredTokens>>>();

/** The tokens of one connection, of the hub or of one person (`holder`). */
export class UpstreamTokenSource {
  readonly #connection: UpstreamConnection;
  readonly #holder: string | undefined;
  readonly #dependencies: TokenSourceDependencies;
  /** The last tokens returned for sending, newest first. */
  sentTokens: readonly string[] = [];

  constructor(connection: UpstreamConnection, holder: string | undefined, dependencies: TokenSourceDependencies) {
    this.#connection = connection;
    this.#holder = holder;
    this.#dependencies = dependencies;
  }

  /** Returns a valid token. Throws UPSTREAM_SIGN_IN_NEEDED, UPSTREAM_UNREACHABLE. */
  async getToken(): Promise<string> {
    const tokens = await this.#readTokens();
    const isFresh = tokens.renew_at_ms === undefined || tokens.renew_at_ms > this.#dependencies.clock.nowMs();
    return this.#remember(isFresh ? tokens : await this.#renewOnce(tokens));
  }

  /** Returns another token after the server rejected this one. Throws like {@link getToken}. */
  async getReplacement(refusedToken: string): Promise<string> {
    const tokens = await this.#readTokens();
    return this.#remember(tokens.access_token === refusedToken ? await this.#renewOnce(tokens) : tokens);
  }

  #remember({ access_token: accessToken }: StoredTokens): string {
    if (this.sentTokens[0] !== accessToken)
      this.sentTokens = [accessToken, ...this.sentTokens].slice(0, maxRememberedTokens);
    return accessToken;
  }

  /** Tokens stored for the current origin of the connection. */
  async #readTokens(): Promise<StoredTokens> {
    const { tokens } = await readGrant(this.#dependencies.secrets, this.#connection.id, this.#holder);
    if (tokens?.origin === getConnectionOrigin(this.#connection)) return tokens;
    throw this.#createSignInNeededError();
  }

  /** Returns false if other tokens are stored now. */
  #replace({ access_token: knownToken }: StoredTokens, tokens: StoredTokens | undefined): Promise<boolean> {
    const expected = (grant: { tokens?: StoredTokens }) => grant.tokens?.access_token === knownToken;
    return updateStoredGrant(this.#dependencies.secrets, this.#connection.id, this.#holder, { tokens }, { expected });
  }

  #createSignInNeededError() {
    return vpError('UPSTREAM_SIGN_IN_NEEDED', { connection: this.#connection.name });
  }

  #renewOnce(tokens: StoredTokens): Promise<StoredTokens> {
    const { secrets } = this.#dependencies;
    const pending = renewals.get(secrets) ?? new Map<string, Promise<StoredTokens>>();
    renewals.set(secrets, pending);
    const key = JSON.stringify([this.#connection.id, this.#holder]);
    const pendingRenewal = pending.get(key);
    if (pendingRenewal) return pendingRenewal;
    const renewal = this.#renew(tokens).finally(() => pending.delete(key));
    pending.set(key, renewal);
    return renewal;
  }

  async #renew(staleTokens: StoredTokens): Promise<StoredTokens> {
    // The tokens may have been refreshed since they were read.
    const tokens = await this.#readTokens();
    if (tokens.access_token !== staleTokens.access_token) return tokens;
    if (tokens.refresh_token === undefined) return this.#discard(tokens);
    try {
      const renewed = await refreshAuthorization(tokens.issuer, {
        metadata: toAuthorizationServerMetadata(tokens),
        clientInformation: tokens.client,
        refreshToken: tokens.refresh_token,
        fetchFn: createBoundedFetch(this.#dependencies, responseTimeoutMs),
        ...(tokens.resource === undefined ? {} : { resource: tokens.resource }),
      });
      const renewedTokens = { ...tokens, ...toStoredTokens(renewed, this.#dependencies.clock.nowMs()) };
      // If the sign-in was removed or replaced meanwhile, the refreshed tokens are not stored.
      return (await this.#replace(tokens, renewedTokens)) ? renewedTokens : await this.#readTokens();
    } catch (error) {
      if (isAuthorizationRefused(error, tokens.issuer)) return this.#discard(tokens);
      if (error instanceof VpError && error.code === 'UPSTREAM_SIGN_IN_NEEDED') throw error;
      throw toRenewalError(this.#connection, tokens.issuer, error);
    }
  }

  /** Removes unusable tokens; those of a newer sign-in stay and are returned. */
  async #discard(invalidTokens: StoredTokens): Promise<StoredTokens> {
    if (await this.#replace(invalidTokens, undefined)) throw this.#createSignInNeededError();
    return this.#readTokens();
  }
}

export function getConnectionOrigin({ url }: Pick<UpstreamConnection, 'url'>): string {
  return new URL(url ?? '').origin;
}

/**
 * True if the authorization server rejected the request, as opposed to not responding. A `server_error` never ends a sign-in: it is
 * also the code of error pages, which a proxy may send.
 */
function isAuthorizationRefused(error: unknown, issuer: string): boolean {
  if (!(error instanceof OAuthError) || error.code === OAuthErrorCode.ServerError) return false;
  return describeNoAnswer(issuer, error) === undefined;
}

/** Names the server that does not answer: it is another one than that of the connection. */
function toRenewalError(connection: UpstreamConnection, issuer: string, error: unknown): VpError {
  const reason = error instanceof VpError ? undefined : describeNoAnswer(issuer, error);
  if (reason === undefined) return withoutCause(toUpstreamError(connection, error));
  const problem = `its authorization server, ${new URL(issuer).host}, does not renew the sign-in: ${reason}`;
  return vpError('UPSTREAM_UNREACHABLE', { connection: connection.name, problem }).withCure(
    'check that its authorization server runs; the sign-in stays valid',
  );
}

/** The server's message may contain what we sent, so it must not reach a log. */
function withoutCause({ code, message, cure, values }: VpError): VpError {
  return new VpError({ code, message, cure }, values);
}

type TokenResponse = { access_token: string; refresh_token?: string | undefined; scope?: string | undefined };

export function toStoredTokens(response: TokenResponse & { expires_in?: number | undefined }, nowMs: number) {
  const { access_token, refresh_token, scope, expires_in: lifetimeSeconds } = response;
  return {
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(scope === undefined ? {} : { scope }),
    ...computeExpiry(lifetimeSeconds, nowMs),
  };
}

/** A short-lived token must not be refreshed for each call. */
function computeExpiry(lifetimeSeconds: number | undefined, nowMs: number) {
  if (lifetimeSeconds === undefined) return { expires_at_ms: undefined, renew_at_ms: undefined };
  const lifetimeMs = lifetimeSeconds * 1000;
  return {
    expires_at_ms: nowMs + lifetimeMs,
    renew_at_ms: nowMs + lifetimeMs - Math.min(maxEarlyRenewalMs, lifetimeMs / 2),
  };
}

function toAuthorizationServerMetadata({ issuer, token_endpoint, auth_methods }: StoredTokens) {
  return {
    issuer,
    token_endpoint,
    authorization_endpoint: issuer,
    response_types_supported: ['code'],
    ...(auth_methods ? { token_endpoint_auth_methods_supported: auth_methods } : {}),
  };
}
