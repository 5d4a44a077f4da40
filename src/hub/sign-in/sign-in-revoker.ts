/**
 * Revokes removed sign-ins at the servers that issued them (RFC 7009): best effort, time-limited and in the background.
 * Failures are only recorded in the security log.
 */
import { type OAuthClientInformationMixed, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import { createConcurrencyLimiter } from '../../limits/concurrency-limiter.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { createBoundedFetch } from './bounded-fetch.ts';
import type { StoredTokens } from './stored-grant.ts';

export type RemovedSignIn = {
  readonly hubId: string;
  readonly connectionId: string;
  /** The name of the connection. */
  readonly name: string;
  readonly tokens: StoredTokens;
  /** Tokens stored in its place, which must stay valid. */
  readonly replacement?: StoredTokens | undefined;
};

export type RevocationDependencies = {
  readonly clock: Clock;
  readonly fetch: GuardedFetch['fetch'];
  readonly logSecurityEvent: (event: SecurityEvent) => void;
  /** Called if logging fails, which does not stop other revocations. */
  readonly onError: (error: unknown) => void;
};

type RevocableTokens = StoredTokens & { readonly revocation_endpoint: string };
type TokenType = 'refresh_token' | 'access_token';
type RevocableSignIn = RemovedSignIn & { readonly tokens: RevocableTokens };
/** `revoked`; `none` without a token; `left` if the token is still needed; otherwise what prevented the revocation. */
type RevocationOutcome = string;

const responseTimeoutMs = 5_000;
/** For everything that was removed at once at one server; a thousand sign-ins get no more time. */
const serverTimeoutMs = 60_000;
const concurrencyPerServer = 4;
/** Servers that are called at the same time; the others wait, and a silent server frees its turn after a minute. */
const maxServers = 32;

export class SignInRevoker {
  readonly #dependencies: RevocationDependencies;
  readonly #closeController = new AbortController();
  readonly #runInTurn = createConcurrencyLimiter(maxServers, Number.POSITIVE_INFINITY);
  /** Work in progress by the server's origin, so that no server delays another. */
  readonly #servers = new Map<string, Promise<void>>();

  constructor(dependencies: RevocationDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Starts in the background. Sign-ins of servers without a revocation endpoint are skipped; if that is unknown, it is
   * logged.
   */
  start(removedSignIns: readonly RemovedSignIn[]): void {
    for (const signIn of removedSignIns)
      if (signIn.tokens.revocation_endpoint === undefined) this.#logUnknownEndpoint(signIn);
    for (const [origin, signIns] of groupByServer(removedSignIns)) {
      const previous = this.#servers.get(origin) ?? Promise.resolve();
      const work = previous
        .then(() => this.#runInTurn(() => this.#revokeAll(signIns)))
        .finally(() => this.#servers.get(origin) === work && this.#servers.delete(origin));
      this.#servers.set(origin, work);
    }
  }

  /** Aborts revocations in progress. */
  async close(): Promise<void> {
    this.#closeController.abort(new Error('the control plane stops'));
    await Promise.all(this.#servers.values());
  }

  async #revokeAll(removedSignIns: readonly RevocableSignIn[]): Promise<void> {
    const deadlineMs = this.#dependencies.clock.monotonicMs() + serverTimeoutMs;
    const queue = removedSignIns.values();
    const runLane = async (): Promise<void> => {
      for (const signIn of queue) await this.#revokeSignIn(signIn, deadlineMs);
    };
    await Promise.all(Array.from({ length: concurrencyPerServer }, runLane));
  }

  async #revokeSignIn(signIn: RevocableSignIn, deadlineMs: number): Promise<void> {
    const { hubId, connectionId, name } = signIn;
    // Most servers revoke everything of the sign-in with the refresh token.
    const refresh = await this.#revokeToken(signIn, 'refresh_token', deadlineMs);
    // A server that did not respond would not respond now, and others wait.
    const access = refresh === 'no answer' ? 'not tried' : await this.#revokeToken(signIn, 'access_token', deadlineMs);
    const isNotApplicable = (outcome: RevocationOutcome) => outcome === 'none' || outcome === 'left';
    if (isNotApplicable(refresh) && isNotApplicable(access)) return;
    const isRevoked = refresh === 'revoked' || (isNotApplicable(refresh) && access === 'revoked');
    const details = { hub: hubId, connection: connectionId, name, refresh, access };
    if (isRevoked) this.#log({ event: 'hub_sign_in_revoked', level: 'info', ...details });
    else this.#log({ event: 'hub_sign_in_revocation_failed', level: 'warn', ...details });
  }

  /** For sign-ins stored before revocation endpoints were recorded. */
  #logUnknownEndpoint({ hubId, connectionId, name, tokens }: RemovedSignIn): void {
    const details = { hub: hubId, connection: connectionId, name };
    const access = 'endpoint unknown';
    const refresh = tokens.refresh_token === undefined ? 'none' : access;
    this.#log({ event: 'hub_sign_in_revocation_failed', level: 'warn', ...details, refresh, access });
  }

  #log(event: SecurityEvent): void {
    try {
      this.#dependencies.logSecurityEvent(event);
    } catch (error) {
      this.#dependencies.onError(error);
    }
  }

  /** The outcome for one token, without text of its server. */
  async #revokeToken(signIn: RevocableSignIn, tokenType: TokenType, deadlineMs: number): Promise<RevocationOutcome> {
    const { tokens } = signIn;
    const token = tokens[tokenType];
    if (token === undefined) return 'none';
    if (isShared(signIn, tokenType)) return 'left';
    const remainingMs = deadlineMs - this.#dependencies.clock.monotonicMs();
    if (remainingMs <= 0 || this.#closeController.signal.aborted) return 'not tried';
    try {
      const fetch = createBoundedFetch(this.#dependencies, Math.min(responseTimeoutMs, remainingMs));
      const request = { ...buildRevocationRequest(tokens, token, tokenType), signal: this.#closeController.signal };
      const response = await fetch(tokens.revocation_endpoint, request);
      await response.body?.cancel();
      return response.ok ? 'revoked' : `status ${response.status}`;
    } catch {
      return 'no answer';
    }
  }
}

function isRevocable(signIn: RemovedSignIn): signIn is RevocableSignIn {
  return typeof signIn.tokens.revocation_endpoint === 'string';
}

function groupByServer(removedSignIns: readonly RemovedSignIn[]): Map<string, RevocableSignIn[]> {
  const servers = new Map<string, RevocableSignIn[]>();
  for (const signIn of removedSignIns.filter(isRevocable)) {
    const origin = URL.parse(signIn.tokens.revocation_endpoint)?.origin ?? '';
    const signIns = servers.get(origin);
    if (signIns) signIns.push(signIn);
    else servers.set(origin, [signIn]);
  }
  return servers;
}

/** Whether revoking the token could also revoke its replacement. */
function isShared({ tokens, replacement }: RemovedSignIn, tokenType: TokenType): boolean {
  if (replacement?.issuer !== tokens.issuer) return false;
  // Some servers issue the same refresh token again.
  if (tokens.refresh_token !== undefined && tokens.refresh_token === replacement.refresh_token) return true;
  if (tokens.access_token === replacement.access_token) return true;
  // Some servers revoke all tokens of a person and client with one refresh token, the new ones too.
  return tokenType === 'refresh_token' && tokens.client.client_id === replacement.client.client_id;
}

/**
 * Uses the client that the tokens were issued to and an authentication method of the endpoint, or else of the token
 * endpoint.
 */
function buildRevocationRequest(
  { client, revocation_auth_methods, auth_methods }: RevocableTokens,
  token: string,
  tokenTypeHint: string,
) {
  const clientInfo: OAuthClientInformationMixed = client;
  const { client_id: id, client_secret: secret } = client;
  const method = selectClientAuthMethod(clientInfo, revocation_auth_methods ?? auth_methods ?? []);
  const isBasic = method === 'client_secret_basic' && secret !== undefined;
  const body = new URLSearchParams({ token, token_type_hint: tokenTypeHint });
  if (!isBasic) body.set('client_id', id);
  if (method === 'client_secret_post' && secret !== undefined) body.set('client_secret', secret);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(isBasic ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } : {}),
  };
  return { method: 'POST', headers, body: body.toString() };
}
