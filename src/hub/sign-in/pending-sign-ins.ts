/**
 * Sign-ins in progress: started by one person in one browser, valid for 10 minutes and for one use. Their state is in
 * memory only.
 *
 * Length: the steps of one sign-in share its state.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { exchangeAuthorization, IssuerMismatchError, startAuthorization } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import type { ConnectionSecrets, UpstreamConnection } from '../connections/connection.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import { getSignInClient } from './client-registration.ts';
import { discoverSignIn, type SignInEndpoints } from './discovery.ts';
import {
  readGrant,
  type SignInClient,
  type StoredGrant,
  type StoredTokens,
  updateStoredGrant,
} from './stored-grant.ts';
import { getConnectionOrigin, toStoredTokens } from './token-source.ts';
import { toUnansweredError } from './unanswered-error.ts';

export type SignInDependencies = {
  readonly secrets: ConnectionSecrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: GuardedFetch['fetch'];
  readonly allowPrivateAddresses: boolean;
};

/** `context` belongs to the caller and is returned at the end. */
export type UpstreamSignInRequest<A> = {
  readonly connection: UpstreamConnection;
  /** Whose sign-in it will be; undefined for the hub's. */
  readonly holder: string | undefined;
  readonly personId: string;
  /** A secret that only this browser has. */
  readonly browserSecret: string;
  readonly redirectUrl: string;
  readonly context: A;
};

/** `url` is where the browser is sent. */
export type StartedSignIn = {
  readonly url: string;
  readonly state: string;
  readonly expiresAtMs: number;
  /** Why the tokens cannot be revoked although the server names an endpoint. */
  readonly revocationProblem: string | undefined;
};

/** The parameters of the OAuth callback. */
export type SignInCallback = {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
};

type PendingSignIn<A> = UpstreamSignInRequest<A> & {
  readonly browserHash: Buffer;
  readonly endpoints: SignInEndpoints;
  readonly client: SignInClient;
  readonly verifier: string;
  readonly cancel: () => void;
};

/** A sign-in that returned to the browser it started in. */
export type RedeemedSignIn<A> = {
  readonly request: UpstreamSignInRequest<A>;
  /** Gets the tokens; `save` stores them. Throws CONNECTION_SIGN_IN_REFUSED, _UNANSWERED, _UNTRUSTED. */
  exchangeCode(): Promise<UnsavedTokens>;
};

export type UnsavedTokens = {
  readonly tokens: StoredTokens;
  /**
   * Resolves to the replaced tokens. Throws CONNECTION_SIGN_IN_OVER if the connection changed, or its sign-in was
   * removed or replaced meanwhile.
   */
  save(): Promise<StoredTokens | undefined>;
};

const lifetimeMs = 10 * 60_000;
const responseTimeoutMs = 10_000;
const maxPerPerson = 16;
const maxPending = 2000;

function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export class PendingSignIns<A> {
  readonly #dependencies: SignInDependencies;
  readonly #pending = new Map<string, PendingSignIn<A>>();

  constructor(dependencies: SignInDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws CONNECTION_SIGN_IN_UNAVAILABLE, _UNANSWERED, _UNTRUSTED, UPSTREAM_*. */
  async start(request: UpstreamSignInRequest<A>): Promise<StartedSignIn> {
    const { connection, redirectUrl, browserSecret, personId } = request;
    const { secrets, random, clock, allowPrivateAddresses } = this.#dependencies;
    const discovery = {
      fetch: createBoundedFetch(this.#dependencies, responseTimeoutMs),
      allowPrivateAddresses,
      secrets,
    };
    const endpoints = await discoverSignIn(connection, discovery);
    await this.#assertSameServer(connection, endpoints);
    const client = await getSignInClient(connection, endpoints, redirectUrl, discovery);
    const state = random.token(32);
    const { authorizationUrl, codeVerifier } = await startAuthorization(endpoints.metadata.issuer, {
      metadata: endpoints.metadata,
      clientInformation: client,
      redirectUrl,
      state,
      ...(endpoints.scope === undefined ? {} : { scope: endpoints.scope }),
      ...(endpoints.resource === undefined ? {} : { resource: endpoints.resource }),
    });
    this.#evictOldest(personId);
    const cancel = clock.after(lifetimeMs, () => this.cancel(state));
    const verifier = codeVerifier;
    this.#pending.set(state, {
      ...request,
      browserHash: hashSecret(browserSecret),
      endpoints,
      client,
      verifier,
      cancel,
    });
    const { revocationProblem } = endpoints;
    return { url: authorizationUrl.href, state, expiresAtMs: clock.nowMs() + lifetimeMs, revocationProblem };
  }

  /** Also called when the session that started it ends. */
  cancel(state: string): void {
    this.#pending.get(state)?.cancel();
    this.#pending.delete(state);
  }

  /** Returns the sign-in of a state, which cannot be used again. Throws CONNECTION_SIGN_IN_OVER. */
  redeem({ state = '', code, iss, error }: SignInCallback, browserSecret: string | undefined): RedeemedSignIn<A> {
    const pending = this.#pending.get(state);
    this.cancel(state);
    if (!pending || browserSecret === undefined || !timingSafeEqual(pending.browserHash, hashSecret(browserSecret)))
      throw vpError('CONNECTION_SIGN_IN_OVER', {});
    return { request: pending, exchangeCode: () => this.#exchangeCode(pending, { code, iss, error }) };
  }

  close(): void {
    for (const state of [...this.#pending.keys()]) this.cancel(state);
  }

  async #exchangeCode(pending: PendingSignIn<A>, callback: SignInCallback): Promise<UnsavedTokens> {
    const { connection, holder } = pending;
    const { tokens: previousTokens } = await readGrant(this.#dependencies.secrets, connection.id, holder);
    const tokens = await this.#exchange(pending, callback);
    return { tokens, save: () => this.#save(pending, tokens, previousTokens?.sign_in) };
  }

  async #exchange(pending: PendingSignIn<A>, { code, iss, error }: SignInCallback): Promise<StoredTokens> {
    const { connection, endpoints, client, verifier, redirectUrl } = pending;
    const { random, clock } = this.#dependencies;
    const refusedError = (problem: string) =>
      vpError('CONNECTION_SIGN_IN_REFUSED', { connection: connection.name, problem });
    this.#assertIssuer(pending, iss);
    if (error !== undefined || code === undefined) throw refusedError(toKnownErrorCode(error));
    const tokenResponse = await exchangeAuthorization(endpoints.metadata.issuer, {
      metadata: endpoints.metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: redirectUrl,
      fetchFn: createBoundedFetch(this.#dependencies, responseTimeoutMs),
      ...(iss === undefined ? {} : { iss }),
      ...(endpoints.resource === undefined ? {} : { resource: endpoints.resource }),
    }).catch((cause: unknown) => {
      if (cause instanceof IssuerMismatchError) throw this.#createUntrustedError(pending.connection);
      if (cause instanceof VpError) throw cause;
      const unanswered = toUnansweredError(connection, endpoints.metadata.token_endpoint, cause);
      // The server's message may contain what we sent.
      throw unanswered ?? refusedError('its authorization server rejected the code');
    });
    const { issuer, token_endpoint, token_endpoint_auth_methods_supported: authMethods } = endpoints.metadata;
    const { revocation_endpoint = null, revocation_endpoint_auth_methods_supported: revocationMethods } =
      endpoints.revocation;
    return {
      ...toStoredTokens(tokenResponse, clock.nowMs()),
      sign_in: random.token(8),
      origin: getConnectionOrigin(connection),
      client,
      issuer,
      token_endpoint,
      ...(authMethods ? { auth_methods: authMethods } : {}),
      revocation_endpoint,
      ...(revocationMethods ? { revocation_auth_methods: revocationMethods } : {}),
      ...(endpoints.resource === undefined ? {} : { resource: endpoints.resource }),
    };
  }

  async #save(
    { connection, holder }: PendingSignIn<A>,
    tokens: StoredTokens,
    previousSignIn: string | undefined,
  ): Promise<StoredTokens | undefined> {
    const { id, revision } = connection;
    const { issuer } = tokens;
    const isFirstIssuer = (grant: StoredGrant) => grant.issuer === undefined || grant.issuer === issuer;
    let replaced: StoredTokens | undefined;
    const isUnchanged = (grant: StoredGrant) => {
      replaced = grant.tokens;
      return replaced?.sign_in === previousSignIn;
    };
    const { secrets } = this.#dependencies;
    const isSaved =
      (await updateStoredGrant(secrets, id, undefined, { issuer }, { revision, expected: isFirstIssuer })) &&
      (await updateStoredGrant(secrets, id, holder, { tokens }, { revision, expected: isUnchanged }));
    if (!isSaved) throw vpError('CONNECTION_SIGN_IN_OVER', {});
    return replaced;
  }

  /** The issuer of the callback must be the server that the browser was sent to (RFC 9207), also for errors. */
  #assertIssuer({ connection, endpoints: { metadata } }: PendingSignIn<A>, iss: string | undefined): void {
    const isMissing = iss === undefined && metadata.authorization_response_iss_parameter_supported === true;
    if (isMissing || (iss !== undefined && iss !== metadata.issuer)) throw this.#createUntrustedError(connection);
  }

  #createUntrustedError({ name: connection }: UpstreamConnection): VpError {
    const problem = 'the browser was sent back by another server';
    return vpError('CONNECTION_SIGN_IN_UNTRUSTED', { connection, problem });
  }

  /**
   * A server that names another authorization server later would redirect the client secret and people's consent to it.
   */
  async #assertSameServer({ id, name: connection }: UpstreamConnection, { metadata }: SignInEndpoints): Promise<void> {
    const { issuer } = await readGrant(this.#dependencies.secrets, id, undefined);
    if (issuer === undefined || issuer === metadata.issuer) return;
    const problem = 'it names another authorization server than at the first sign-in';
    throw vpError('CONNECTION_SIGN_IN_UNTRUSTED', { connection, problem });
  }

  #evictOldest(personId: string): void {
    const ownSignIns = [...this.#pending].filter(([, pending]) => pending.personId === personId);
    const [oldest] = this.#pending.keys();
    if (ownSignIns[0] && ownSignIns.length >= maxPerPerson) this.cancel(ownSignIns[0][0]);
    else if (oldest !== undefined && this.#pending.size >= maxPending) this.cancel(oldest);
  }
}

/** Error codes of RFC 6749; other text of a server is not repeated. */
function toKnownErrorCode(error: string | undefined): string {
  if (error === undefined) return 'the callback has no code';
  return /^[a-z_]{1,40}$/.test(error) ? error : 'unknown error';
}
