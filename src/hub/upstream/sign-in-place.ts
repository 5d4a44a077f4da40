/**
 * Where one signs in to a server: what the server says of its authorization server, and what that says of itself. All of it is
 * named by others, so nothing is dialled that a connection could not lead to, and no browser is sent anywhere else.
 */
import {
  type AuthorizationServerMetadata,
  checkResourceAllowed,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
} from '@modelcontextprotocol/client';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { hostVerdict, mayCall } from '../../outbound/address-guard.ts';
import type { Connection } from '../words.ts';

/** Where tokens are given back (RFC 7009), if anywhere; has been checked. */
const Revocation = Type.Object({
  revocation_endpoint: Type.Optional(Type.String()),
  revocation_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
});
/** See {@link Revocation}. */
export type Revocation = Static<typeof Revocation>;

/** Any of its own descriptions. */
const Described = Type.Object({
  revocation_endpoint: Type.Optional(Type.Unknown()),
  revocation_endpoint_auth_methods_supported: Type.Optional(Type.Unknown()),
});

/** It. `metadata` has been checked. */
export type SignInPlace = {
  readonly metadata: AuthorizationServerMetadata;
  readonly revocation: Revocation;
  /** Why the place that it names for that is as good as none; undefined where it may be asked, or there is none. */
  readonly revocationProblem: string | undefined;
  /** What the token is to be for (RFC 8707); undefined where the server does not say. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
};

/** How it is looked for. */
export type PlaceParts = {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly allowPrivate: boolean;
};

type Told = Pick<Connection, 'name' | 'kind' | 'url' | 'credential'>;

function untrusted({ name: connection }: Told, problem: string): VpError {
  return vpError('CONNECTION_SIGN_IN_UNTRUSTED', { connection, problem });
}

function unavailable({ name: connection }: Told, problem: string): VpError {
  return vpError('CONNECTION_SIGN_IN_UNAVAILABLE', { connection, problem });
}

/** Throws CONNECTION_SIGN_IN_UNTRUSTED, CONNECTION_SIGN_IN_UNAVAILABLE, UPSTREAM_ADDRESS_REFUSED, UPSTREAM_REDIRECTED. */
export async function findSignIn(connection: Told, parts: PlaceParts): Promise<SignInPlace> {
  const url = new URL(connection.url ?? '');
  const challenge = await challengeOf(connection, url, parts);
  const told = await resourceTold(connection, url, challenge.resourceMetadataUrl, parts);
  if (told && !checkResourceAllowed({ requestedResource: url, configuredResource: told.resource }))
    throw untrusted(connection, 'it says that it is another server');
  const server = told?.authorization_servers?.[0] ?? url.origin;
  const { metadata, revocation } = await metadataAt(connection, server, parts);
  demandEndpoints(connection, metadata, parts);
  // One can sign in without it, so a bad one keeps nobody from it.
  const { revocation_endpoint: givenBack } = revocation;
  const revocationProblem = givenBack === undefined ? undefined : addressProblem(givenBack, parts.allowPrivate);
  return {
    metadata,
    revocation: revocationProblem === undefined ? revocation : {},
    revocationProblem,
    resource: told?.resource,
    scope: scopeFor(connection, challenge.scope, told, metadata),
  };
}

/** What the server says to somebody without a credential. */
async function challengeOf({ kind, name }: Told, url: URL, { fetch }: PlaceParts) {
  const accept = kind === 'sse' ? 'text/event-stream' : 'application/json, text/event-stream';
  const asked = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const post = { method: 'POST', headers: { accept, 'content-type': 'application/json' }, body: JSON.stringify(asked) };
  const answer = await fetch(url, kind === 'sse' ? { headers: { accept } } : post).catch((error: unknown) => {
    if (ours(error)) throw ours(error);
    throw vpError('UPSTREAM_UNREACHABLE', { connection: name, problem: 'it did not answer' });
  });
  await answer.body?.cancel();
  return answer.status === 401 ? extractWWWAuthenticateParams(answer) : {};
}

type ResourceTold = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;

/** Undefined where the server tells nothing, as those of before RFC 9728. */
async function resourceTold(
  connection: Told,
  url: URL,
  at: URL | undefined,
  { fetch }: PlaceParts,
): Promise<ResourceTold | undefined> {
  try {
    return await discoverOAuthProtectedResourceMetadata(url, at ? { resourceMetadataUrl: at } : {}, fetch);
  } catch (error) {
    if (ours(error)) throw ours(error);
    if (at === undefined) return undefined;
    throw unavailable(connection, 'what it names as the description of its sign-in is none');
  }
}

async function metadataAt(connection: Told, server: string, { fetch, allowPrivate }: PlaceParts) {
  demandSafe(connection, 'its authorization server', server, allowPrivate);
  let revocation: Revocation = {};
  // Of OpenID's own documents the SDK keeps nothing about it, and others it refuses whole for what is wrong with it.
  const fetchFn: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    const document: unknown = await answer
      .clone()
      .json()
      .catch(() => undefined);
    if (!answer.ok || !Value.Check(Described, document)) return answer;
    const { revocation_endpoint, revocation_endpoint_auth_methods_supported, ...rest } = document;
    revocation = revocationIn({ revocation_endpoint, revocation_endpoint_auth_methods_supported });
    return Response.json(rest);
  };
  try {
    const found = await discoverAuthorizationServerMetadata(server, { fetchFn });
    if (found) return { metadata: found, revocation };
  } catch (error) {
    if (ours(error)) throw ours(error);
    if (error instanceof IssuerMismatchError)
      throw untrusted(connection, 'its authorization server says that it is another one');
    throw unavailable(connection, 'the description of its authorization server cannot be read');
  }
  throw unavailable(connection, 'its authorization server does not describe itself');
}

function revocationIn(said: unknown): Revocation {
  return Value.Check(Revocation, said) ? said : {};
}

function demandEndpoints(connection: Told, metadata: AuthorizationServerMetadata, { allowPrivate }: PlaceParts): void {
  const { authorization_endpoint: page, token_endpoint: tokens, registration_endpoint: registration } = metadata;
  demandSafe(connection, 'the page to sign in at', page, allowPrivate);
  demandSafe(connection, 'the place that gives tokens', tokens, allowPrivate);
  if (registration !== undefined) demandSafe(connection, 'the place to register at', registration, allowPrivate);
  // Without it, a code that somebody else caught would be good for them.
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    throw unavailable(connection, 'its authorization server does not know PKCE with S256');
}

/** A page of the web, or a service on it, at an address that may be called. */
function demandSafe(connection: Told, what: string, address: string, allowPrivate: boolean): void {
  const problem = addressProblem(address, allowPrivate);
  if (problem !== undefined) throw untrusted(connection, `${what} ${problem}`);
}

function addressProblem(address: string, allowPrivate: boolean): string | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'has no web address';
  if (url.username !== '' || url.password !== '') return 'has a password in its address';
  const verdict = hostVerdict(url);
  if (verdict !== undefined && !mayCall(verdict, allowPrivate))
    return `is at an address that is ${verdict.replace('_', '-')}`;
  if (url.protocol === 'http:' && verdict !== 'loopback') return 'is plain http, which everybody on the way reads';
  return undefined;
}

/** The error of ours that a fetch was ended with, wherever in the chain of causes it stands. */
function ours(error: unknown, depth = 0): VpError | undefined {
  if (error instanceof VpError) return error;
  return error instanceof Error && depth < 5 ? ours(error.cause, depth + 1) : undefined;
}

/** The owner's own words; else what the server asks for, with leave to be renewed. */
function scopeFor(
  { credential }: Told,
  asked: string | undefined,
  told: ResourceTold | undefined,
  { scopes_supported: known }: AuthorizationServerMetadata,
): string | undefined {
  const own = credential.kind === 'oauth' ? credential.scope : undefined;
  if (own !== undefined) return own;
  const wanted = asked ?? told?.scopes_supported?.join(' ');
  if (!wanted || !known?.includes('offline_access') || wanted.split(' ').includes('offline_access'))
    return wanted || undefined;
  return `${wanted} offline_access`;
}
