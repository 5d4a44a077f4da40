/**
 * Sign-ins that were forgotten here are ended at the servers that gave them too (RFC 7009): as well as that goes, within a
 * time, and after the fact. Nobody waits for it, and nothing fails by it; the log of security says how it went.
 */
import { type OAuthClientInformationMixed, selectClientAuthMethod } from '@modelcontextprotocol/client';
import type { Clock } from '../../environment/clock.ts';
import type { SecurityEvent } from '../../identity/context.ts';
import { createTurns } from '../../identity/turns.ts';
import type { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { boundedFetch } from './bounded-fetch.ts';
import type { KeptTokens } from './kept-grant.ts';

/** A sign-in that is kept no more. */
export type EndedSignIn = {
  readonly hubId: string;
  readonly connectionId: string;
  /** Of the connection. */
  readonly name: string;
  readonly tokens: KeptTokens;
  /** Those of a sign-in that is kept in its place: they have to stay good. */
  readonly instead?: KeptTokens | undefined;
};

/** What it works with. */
export type RevocationParts = {
  readonly clock: Clock;
  readonly fetch: GuardedFetch['fetch'];
  /** Tells the log of security. */
  readonly tell: (event: SecurityEvent) => void;
  /** Told where that throws; it keeps no other sign-in from being ended. */
  readonly onFault: (fault: unknown) => void;
};

type Revocable = KeptTokens & { readonly revocation_endpoint: string };
type Which = 'refresh_token' | 'access_token';
type RevocableSignIn = EndedSignIn & { readonly tokens: Revocable };
/** `revoked`; `none` where there is none; `left` where it is not ended on purpose; or what kept it from being ended. */
type Outcome = string;

const answerMs = 5_000;
/** For what ended at once at one server, from its first try: one with a thousand of them gets no more time than that. */
const wholeMs = 60_000;
/** Sign-ins that are ended at the same time at one server. */
const lanes = 4;
/** Servers that are asked at the same time; each waits for its turn, and silent ones give theirs to others each minute. */
const mostServers = 32;

/** Those that are under way. */
export class Revocations {
  readonly #parts: RevocationParts;
  readonly #closing = new AbortController();
  readonly #turn = createTurns(mostServers, Number.POSITIVE_INFINITY);
  /** What is under way at each server, by its origin: none takes the time of another one. */
  readonly #servers = new Map<string, Promise<void>>();

  constructor(parts: RevocationParts) {
    this.#parts = parts;
  }

  /** Begins with them. Those whose server does not take tokens back are left; where that is not known, the log says so. */
  begin(ended: readonly EndedSignIn[]): void {
    for (const one of ended) if (one.tokens.revocation_endpoint === undefined) this.#tellUnknown(one);
    for (const [origin, own] of byServer(ended)) {
      const before = this.#servers.get(origin) ?? Promise.resolve();
      const work = before
        .then(() => this.#turn(() => this.#revokeAll(own)))
        .finally(() => this.#servers.get(origin) === work && this.#servers.delete(origin));
      this.#servers.set(origin, work);
    }
  }

  /** Breaks off what is under way. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('the control plane stops'));
    await Promise.all(this.#servers.values());
  }

  async #revokeAll(ended: readonly RevocableSignIn[]): Promise<void> {
    const untilMs = this.#parts.clock.monotonicMs() + wholeMs;
    const rest = ended.values();
    const lane = async (): Promise<void> => {
      for (const one of rest) await this.#revoke(one, untilMs);
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }

  async #revoke(one: RevocableSignIn, untilMs: number): Promise<void> {
    const { hubId, connectionId, name } = one;
    // With the refresh token most servers end all that came of the sign-in.
    const refresh = await this.#sent(one, 'refresh_token', untilMs);
    // Who kept silent would do so again, and others wait.
    const access = refresh === 'no answer' ? 'not tried' : await this.#sent(one, 'access_token', untilMs);
    const isNothing = (outcome: Outcome) => outcome === 'none' || outcome === 'left';
    if (isNothing(refresh) && isNothing(access)) return;
    const isOver = refresh === 'revoked' || (isNothing(refresh) && access === 'revoked');
    const about = { hub: hubId, connection: connectionId, name, refresh, access };
    if (isOver) this.#tell({ event: 'hub_sign_in_revoked', level: 'info', ...about });
    else this.#tell({ event: 'hub_sign_in_revocation_failed', level: 'warn', ...about });
  }

  /** Of sign-ins that were kept before anybody asked where they end. */
  #tellUnknown({ hubId, connectionId, name, tokens }: EndedSignIn): void {
    const about = { hub: hubId, connection: connectionId, name };
    const access = 'endpoint unknown';
    const refresh = tokens.refresh_token === undefined ? 'none' : access;
    this.#tell({ event: 'hub_sign_in_revocation_failed', level: 'warn', ...about, refresh, access });
  }

  #tell(event: SecurityEvent): void {
    try {
      this.#parts.tell(event);
    } catch (fault) {
      this.#parts.onFault(fault);
    }
  }

  /** How it went with one of the tokens, without anything that its server says. */
  async #sent(one: RevocableSignIn, which: Which, untilMs: number): Promise<Outcome> {
    const { tokens } = one;
    const token = tokens[which];
    if (token === undefined) return 'none';
    if (isShared(one, which)) return 'left';
    const leftMs = untilMs - this.#parts.clock.monotonicMs();
    if (leftMs <= 0 || this.#closing.signal.aborted) return 'not tried';
    try {
      const fetch = boundedFetch(this.#parts, Math.min(answerMs, leftMs));
      const request = { ...requestOf(tokens, token, which), signal: this.#closing.signal };
      const answer = await fetch(tokens.revocation_endpoint, request);
      await answer.body?.cancel();
      return answer.ok ? 'revoked' : `status ${answer.status}`;
    } catch {
      return 'no answer';
    }
  }
}

function isRevocable(one: EndedSignIn): one is RevocableSignIn {
  return typeof one.tokens.revocation_endpoint === 'string';
}

function byServer(ended: readonly EndedSignIn[]): Map<string, RevocableSignIn[]> {
  const servers = new Map<string, RevocableSignIn[]>();
  for (const one of ended.filter(isRevocable)) {
    const origin = URL.parse(one.tokens.revocation_endpoint)?.origin ?? '';
    const own = servers.get(origin);
    if (own) own.push(one);
    else servers.set(origin, [one]);
  }
  return servers;
}

/** Whether ending the token could end what is kept instead. */
function isShared({ tokens, instead }: EndedSignIn, which: Which): boolean {
  if (instead?.issuer !== tokens.issuer) return false;
  // Some servers give the same one again.
  if (tokens.refresh_token !== undefined && tokens.refresh_token === instead.refresh_token) return true;
  if (tokens.access_token === instead.access_token) return true;
  // By one refresh token some servers end all that a person has with this client, the new tokens too.
  return which === 'refresh_token' && tokens.client.client_id === instead.client.client_id;
}

/** As the client that the tokens were given to, in the way that the endpoint knows; unless it says, in that of tokens. */
function requestOf({ client, revocation_auth_methods, auth_methods }: Revocable, token: string, hint: string) {
  const known: OAuthClientInformationMixed = client;
  const { client_id: id, client_secret: secret } = client;
  const method = selectClientAuthMethod(known, revocation_auth_methods ?? auth_methods ?? []);
  const isBasic = method === 'client_secret_basic' && secret !== undefined;
  const body = new URLSearchParams({ token, token_type_hint: hint });
  if (!isBasic) body.set('client_id', id);
  if (method === 'client_secret_post' && secret !== undefined) body.set('client_secret', secret);
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    ...(isBasic ? { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` } : {}),
  };
  return { method: 'POST', headers, body: body.toString() };
}
