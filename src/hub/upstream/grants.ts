/**
 * Access tokens for upstreams: read from where they are sealed for each use, renewed within the call that needs it, once for
 * all calls that wait. A renewal that is refused ends the sign-in; one that nobody answers leaves it as it is.
 */
import { OAuthError, OAuthErrorCode, refreshAuthorization } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import type { Connection, ConnectionSecrets } from '../words.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { changeGrant, type KeptTokens, readGrant } from './kept-grant.ts';
import { upstreamProblem } from './problem.ts';

/** What it works with. */
export type GrantParts = {
  readonly secrets: ConnectionSecrets;
  readonly clock: Clock;
  readonly fetch: GuardedFetch['fetch'];
};

/** A token is renewed so long before its end, at most, so that it does not end on its way. */
const earlyMs = 30_000;
const answerMs = 10_000;
/** Enough for calls that are under way while tokens are renewed. */
const mostRemembered = 4;

/** The renewals that are under way, by whose they are: a refresh token is good once. */
const renewals = new WeakMap<ConnectionSecrets, Map<string, Promise<KeptTokens>>>();

/** The tokens of one connection, of the whole hub or of one person (`holder`). */
export class Grant {
  readonly #connection: Connection;
  readonly #holder: string | undefined;
  readonly #parts: GrantParts;
  /** The last ones that were given to be sent, the newest first. */
  tokensSent: readonly string[] = [];

  constructor(connection: Connection, holder: string | undefined, parts: GrantParts) {
    this.#connection = connection;
    this.#holder = holder;
    this.#parts = parts;
  }

  /** A token that is good now. Throws UPSTREAM_SIGN_IN_NEEDED, UPSTREAM_UNREACHABLE. */
  async token(): Promise<string> {
    const tokens = await this.#tokens();
    const isFresh = tokens.renew_at_ms === undefined || tokens.renew_at_ms > this.#parts.clock.nowMs();
    return this.#given(isFresh ? tokens : await this.#renewed(tokens));
  }

  /** The server did not accept `refused`: another token, where there is one. Throws like {@link token}. */
  async instead(refused: string): Promise<string> {
    const tokens = await this.#tokens();
    return this.#given(tokens.access_token === refused ? await this.#renewed(tokens) : tokens);
  }

  #given({ access_token: token }: KeptTokens): string {
    if (this.tokensSent[0] !== token) this.tokensSent = [token, ...this.tokensSent].slice(0, mostRemembered);
    return token;
  }

  /** Those that are kept for the server of this connection, as it was when this was made. */
  async #tokens(): Promise<KeptTokens> {
    const { tokens } = await readGrant(this.#parts.secrets, this.#connection.id, this.#holder);
    if (tokens?.origin === originOf(this.#connection)) return tokens;
    throw this.#needed();
  }

  /** Keeps others in the place of `found`, or none; false where these are not there any more. */
  #replace({ access_token: known }: KeptTokens, tokens: KeptTokens | undefined): Promise<boolean> {
    const expected = (kept: { tokens?: KeptTokens }) => kept.tokens?.access_token === known;
    return changeGrant(this.#parts.secrets, this.#connection.id, this.#holder, { tokens }, { expected });
  }

  #needed() {
    return vpError('UPSTREAM_SIGN_IN_NEEDED', { connection: this.#connection.name });
  }

  #renewed(tokens: KeptTokens): Promise<KeptTokens> {
    const { secrets } = this.#parts;
    const all = renewals.get(secrets) ?? new Map<string, Promise<KeptTokens>>();
    renewals.set(secrets, all);
    const key = JSON.stringify([this.#connection.id, this.#holder]);
    const known = all.get(key);
    if (known) return known;
    const renewing = this.#renew(tokens).finally(() => all.delete(key));
    all.set(key, renewing);
    return renewing;
  }

  async #renew(found: KeptTokens): Promise<KeptTokens> {
    // Somebody else may have renewed them since they were read.
    const tokens = await this.#tokens();
    if (tokens.access_token !== found.access_token) return tokens;
    if (tokens.refresh_token === undefined) return this.#over(tokens);
    try {
      const renewed = await refreshAuthorization(tokens.issuer, {
        metadata: metadataOf(tokens),
        clientInformation: tokens.client,
        refreshToken: tokens.refresh_token,
        fetchFn: boundedFetch(this.#parts, answerMs),
        ...(tokens.resource === undefined ? {} : { resource: tokens.resource }),
      });
      const kept = { ...tokens, ...keptTokens(renewed, this.#parts.clock.nowMs()) };
      // Whoever forgot this sign-in meanwhile, or signed in anew, is not to find it again.
      return (await this.#replace(tokens, kept)) ? kept : await this.#tokens();
    } catch (error) {
      if (isRefusal(error)) return this.#over(tokens);
      if (error instanceof VpError && error.code === 'UPSTREAM_SIGN_IN_NEEDED') throw error;
      throw withoutCause(upstreamProblem(this.#connection.name, error));
    }
  }

  /** Nothing can be done with these tokens any more; those of a sign-in that was finished meanwhile stay, and are good. */
  async #over(ended: KeptTokens): Promise<KeptTokens> {
    if (await this.#replace(ended, undefined)) throw this.#needed();
    return this.#tokens();
  }
}

/** The server that tokens of a connection are for. */
export function originOf({ url }: Pick<Connection, 'url'>): string {
  return new URL(url ?? '').origin;
}

/** True where the authorization server has said no, as opposed to not having answered. */
function isRefusal(error: unknown): boolean {
  return error instanceof OAuthError && error.code !== OAuthErrorCode.ServerError && !isPassing(error.code);
}

function isPassing(code: string): boolean {
  return code === OAuthErrorCode.TemporarilyUnavailable || code === OAuthErrorCode.TooManyRequests;
}

/** What its server says may hold what we sent it, so it does not go to a log. */
function withoutCause({ code, message, cure, values }: VpError): VpError {
  return new VpError({ code, message, cure }, values);
}

type Answered = { access_token: string; refresh_token?: string | undefined; scope?: string | undefined };

/** What is kept of an answer of a token endpoint. */
export function keptTokens(answer: Answered & { expires_in?: number | undefined }, nowMs: number) {
  const { access_token, refresh_token, scope, expires_in: seconds } = answer;
  return {
    access_token,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(scope === undefined ? {} : { scope }),
    ...endOf(seconds, nowMs),
  };
}

/** A token that lasts for seconds only must not be renewed for each call. */
function endOf(seconds: number | undefined, nowMs: number) {
  if (seconds === undefined) return { expires_at_ms: undefined, renew_at_ms: undefined };
  const lastsMs = seconds * 1000;
  return { expires_at_ms: nowMs + lastsMs, renew_at_ms: nowMs + lastsMs - Math.min(earlyMs, lastsMs / 2) };
}

function metadataOf({ issuer, token_endpoint, auth_methods }: KeptTokens) {
  return {
    issuer,
    token_endpoint,
    authorization_endpoint: issuer,
    response_types_supported: ['code'],
    ...(auth_methods ? { token_endpoint_auth_methods_supported: auth_methods } : {}),
  };
}
