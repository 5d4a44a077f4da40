/**
 * Sign-ins to upstreams that are under way: each begun by one person in one browser, finished there within 10 minutes or not at
 * all, and good once. What a sign-in needs until it ends is in memory only.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { exchangeAuthorization, IssuerMismatchError, startAuthorization } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { Random } from '../../environment/random.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { keptTokens, originOf } from './grants.ts';
import { changeGrant, type KeptGrant, type KeptTokens, readGrant, type SignInClient } from './kept-grant.ts';
import { signInClient } from './registration.ts';
import { findSignIn, type SignInPlace } from './sign-in-place.ts';

/** What it works with. */
export type SignInParts = {
  readonly secrets: ConnectionSecrets;
  readonly clock: Clock;
  readonly random: Random;
  readonly fetch: GuardedFetch['fetch'];
  readonly allowPrivate: boolean;
};

/** Who begins it, and where. `about` is the caller's own, given back at the end. */
export type Beginning<A> = {
  readonly connection: Connection;
  /** Whose sign-in it will be; undefined for the hub's. */
  readonly holder: string | undefined;
  readonly personId: string;
  /** A secret that this browser alone has. */
  readonly browser: string;
  /** Where browsers come back to. */
  readonly redirectUrl: string;
  readonly about: A;
};

/** One that a browser is sent off with to `url`. */
export type BegunSignIn = {
  readonly url: string;
  readonly state: string;
  readonly expiresAtMs: number;
  /** Why what it gets will not be ended at its server, although that names a place for it. */
  readonly revocationProblem: string | undefined;
};

/** What a browser brings back. */
export type Returned = {
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly iss?: string | undefined;
  readonly error?: string | undefined;
};

type Pending<A> = Beginning<A> & {
  readonly browserHash: Buffer;
  readonly place: SignInPlace;
  readonly client: SignInClient;
  readonly verifier: string;
  readonly cancel: () => void;
};

/** One that came back to the browser that it began in. */
export type ReturnedSignIn<A> = {
  readonly beginning: Beginning<A>;
  /** Gets the tokens; they are kept by what it resolves to. Throws CONNECTION_SIGN_IN_REFUSED, CONNECTION_SIGN_IN_UNTRUSTED. */
  complete(): Promise<GottenTokens>;
};

/** Tokens that nobody has kept yet. */
export type GottenTokens = {
  readonly tokens: KeptTokens;
  /**
   * Resolves to those whose place they took. Throws CONNECTION_SIGN_IN_OVER where the connection is another one now, or its
   * sign-in was forgotten or done anew meanwhile.
   */
  keep(): Promise<KeptTokens | undefined>;
};

const lastsMs = 10 * 60_000;
const answerMs = 10_000;
const mostOfPerson = 16;
const mostOfAll = 2000;

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The sign-ins. */
export class SignIns<A> {
  readonly #parts: SignInParts;
  readonly #pending = new Map<string, Pending<A>>();

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /** Throws CONNECTION_SIGN_IN_UNAVAILABLE, CONNECTION_SIGN_IN_UNTRUSTED, UPSTREAM_*. */
  async begin(beginning: Beginning<A>): Promise<BegunSignIn> {
    const { connection, redirectUrl, browser, personId } = beginning;
    const { secrets, random, clock, allowPrivate } = this.#parts;
    const asking = { fetch: boundedFetch(this.#parts, answerMs), allowPrivate, secrets };
    const place = await findSignIn(connection, asking);
    await this.#demandSameServer(connection, place);
    const client = await signInClient(connection, place, redirectUrl, asking);
    const state = random.token(32);
    const { authorizationUrl, codeVerifier } = await startAuthorization(place.metadata.issuer, {
      metadata: place.metadata,
      clientInformation: client,
      redirectUrl,
      state,
      ...(place.scope === undefined ? {} : { scope: place.scope }),
      ...(place.resource === undefined ? {} : { resource: place.resource }),
    });
    this.#makeRoom(personId);
    const cancel = clock.after(lastsMs, () => this.drop(state));
    const verifier = codeVerifier;
    this.#pending.set(state, { ...beginning, browserHash: hashOf(browser), place, client, verifier, cancel });
    const { revocationProblem } = place;
    return { url: authorizationUrl.href, state, expiresAtMs: clock.nowMs() + lastsMs, revocationProblem };
  }

  /** Forgets it, such as when the session ends that began it. */
  drop(state: string): void {
    this.#pending.get(state)?.cancel();
    this.#pending.delete(state);
  }

  /** The sign-in of a state, which is used up with this. Throws CONNECTION_SIGN_IN_OVER. */
  take({ state = '', code, iss, error }: Returned, browser: string | undefined): ReturnedSignIn<A> {
    const pending = this.#pending.get(state);
    this.drop(state);
    if (!pending || browser === undefined || !timingSafeEqual(pending.browserHash, hashOf(browser)))
      throw vpError('CONNECTION_SIGN_IN_OVER', {});
    return { beginning: pending, complete: () => this.#complete(pending, { code, iss, error }) };
  }

  close(): void {
    for (const state of [...this.#pending.keys()]) this.drop(state);
  }

  async #complete(pending: Pending<A>, returned: Returned): Promise<GottenTokens> {
    const { connection, holder } = pending;
    const { tokens: before } = await readGrant(this.#parts.secrets, connection.id, holder);
    const tokens = await this.#exchanged(pending, returned);
    return { tokens, keep: () => this.#keep(pending, tokens, before?.sign_in) };
  }

  async #exchanged(pending: Pending<A>, { code, iss, error }: Returned): Promise<KeptTokens> {
    const { connection, place, client, verifier, redirectUrl } = pending;
    const { random, clock } = this.#parts;
    const refused = (problem: string) =>
      vpError('CONNECTION_SIGN_IN_REFUSED', { connection: connection.name, problem });
    this.#demandIssuer(pending, iss);
    if (error !== undefined || code === undefined) throw refused(knownError(error));
    const answer = await exchangeAuthorization(place.metadata.issuer, {
      metadata: place.metadata,
      clientInformation: client,
      authorizationCode: code,
      codeVerifier: verifier,
      redirectUri: redirectUrl,
      fetchFn: boundedFetch(this.#parts, answerMs),
      ...(iss === undefined ? {} : { iss }),
      ...(place.resource === undefined ? {} : { resource: place.resource }),
    }).catch((thrown: unknown) => {
      if (thrown instanceof IssuerMismatchError) throw this.#untrusted(pending.connection);
      // What its server says may hold what we sent it.
      throw thrown instanceof VpError ? thrown : refused('its server did not take the code');
    });
    const { issuer, token_endpoint, token_endpoint_auth_methods_supported: methods } = place.metadata;
    const { revocation_endpoint = null, revocation_endpoint_auth_methods_supported: revocationMethods } =
      place.revocation;
    return {
      ...keptTokens(answer, clock.nowMs()),
      sign_in: random.token(8),
      origin: originOf(connection),
      client,
      issuer,
      token_endpoint,
      ...(methods ? { auth_methods: methods } : {}),
      revocation_endpoint,
      ...(revocationMethods ? { revocation_auth_methods: revocationMethods } : {}),
      ...(place.resource === undefined ? {} : { resource: place.resource }),
    };
  }

  async #keep(
    { connection, holder }: Pending<A>,
    tokens: KeptTokens,
    before: string | undefined,
  ): Promise<KeptTokens | undefined> {
    const { id, revision } = connection;
    const { issuer } = tokens;
    const isFirst = (kept: KeptGrant) => kept.issuer === undefined || kept.issuer === issuer;
    let replaced: KeptTokens | undefined;
    const isAsBefore = (kept: KeptGrant) => {
      replaced = kept.tokens;
      return replaced?.sign_in === before;
    };
    const { secrets } = this.#parts;
    const isKept =
      (await changeGrant(secrets, id, undefined, { issuer }, { revision, expected: isFirst })) &&
      (await changeGrant(secrets, id, holder, { tokens }, { revision, expected: isAsBefore }));
    if (!isKept) throw vpError('CONNECTION_SIGN_IN_OVER', {});
    return replaced;
  }

  /** Whoever sends browsers back must be whom they were sent to (RFC 9207), also with a refusal. */
  #demandIssuer({ connection, place: { metadata } }: Pending<A>, iss: string | undefined): void {
    const isMissing = iss === undefined && metadata.authorization_response_iss_parameter_supported === true;
    if (isMissing || (iss !== undefined && iss !== metadata.issuer)) throw this.#untrusted(connection);
  }

  #untrusted({ name: connection }: Connection): VpError {
    const problem = 'another server than the one that was asked sent the browser back';
    return vpError('CONNECTION_SIGN_IN_UNTRUSTED', { connection, problem });
  }

  /** An upstream that names another server later would get the client's secret, and people's leave, for somebody else. */
  async #demandSameServer({ id, name: connection }: Connection, { metadata }: SignInPlace): Promise<void> {
    const { issuer } = await readGrant(this.#parts.secrets, id, undefined);
    if (issuer === undefined || issuer === metadata.issuer) return;
    const problem = 'it names another authorization server than when it was signed in to first';
    throw vpError('CONNECTION_SIGN_IN_UNTRUSTED', { connection, problem });
  }

  #makeRoom(personId: string): void {
    const own = [...this.#pending].filter(([, pending]) => pending.personId === personId);
    const [oldest] = this.#pending.keys();
    if (own[0] && own.length >= mostOfPerson) this.drop(own[0][0]);
    else if (oldest !== undefined && this.#pending.size >= mostOfAll) this.drop(oldest);
  }
}

/** Codes of RFC 6749; any other text of a server is not repeated. */
function knownError(error: string | undefined): string {
  if (error === undefined) return 'no code came back';
  return /^[a-z_]{1,40}$/.test(error) ? error : 'for a reason that is none';
}
