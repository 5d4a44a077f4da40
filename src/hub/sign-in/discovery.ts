/**
 * Discovers where to sign in to a server: its protected resource metadata, then its authorization server's metadata.
 * Both are controlled by others, so every address is checked before it is requested or given to a browser.
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
import { classifyHost, isAddressAllowed } from '../../outbound/address-guard.ts';
import type { UpstreamConnection } from '../connections/connection.ts';
import { toUpstreamError } from '../upstream/upstream-error.ts';
import { toUnansweredError } from './unanswered-error.ts';

/** The checked revocation endpoint (RFC 7009), if any. */
const RevocationMetadata = Type.Object({
  revocation_endpoint: Type.Optional(Type.String()),
  revocation_endpoint_auth_methods_supported: Type.Optional(Type.Array(Type.String())),
});
export type RevocationMetadata = Static<typeof RevocationMetadata>;

const ServerMetadataWithRevocation = Type.Object({
  revocation_endpoint: Type.Optional(Type.Unknown()),
  revocation_endpoint_auth_methods_supported: Type.Optional(Type.Unknown()),
});

/** `metadata` has been checked. */
export type SignInEndpoints = {
  readonly metadata: AuthorizationServerMetadata;
  readonly revocation: RevocationMetadata;
  /** Why the revocation endpoint is ignored; undefined if it may be used or does not exist. */
  readonly revocationProblem: string | undefined;
  /** The resource of the token (RFC 8707); undefined if the server does not name one. */
  readonly resource: string | undefined;
  readonly scope: string | undefined;
};

export type DiscoveryDependencies = {
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  readonly allowPrivateAddresses: boolean;
};

type SignInConnection = Pick<UpstreamConnection, 'name' | 'kind' | 'url' | 'credential'>;

function untrustedError({ name: connection }: SignInConnection, problem: string): VpError {
  return vpError('CONNECTION_SIGN_IN_UNTRUSTED', { connection, problem });
}

function unavailableError({ name: connection }: SignInConnection, problem: string): VpError {
  return vpError('CONNECTION_SIGN_IN_UNAVAILABLE', { connection, problem });
}

/** Throws CONNECTION_SIGN_IN_UNTRUSTED, CONNECTION_SIGN_IN_UNAVAILABLE, UPSTREAM_ADDRESS_REFUSED, UPSTREAM_REDIRECTED. */
export async function discoverSignIn(
  connection: SignInConnection,
  dependencies: DiscoveryDependencies,
): Promise<SignInEndpoints> {
  const url = new URL(connection.url ?? '');
  const challenge = await requestChallenge(connection, url, dependencies);
  const resourceMetadata = await discoverResourceMetadata(connection, url, challenge.resourceMetadataUrl, dependencies);
  if (
    resourceMetadata &&
    !checkResourceAllowed({ requestedResource: url, configuredResource: resourceMetadata.resource })
  )
    throw untrustedError(connection, 'its metadata names another server');
  const issuerUrl = resourceMetadata?.authorization_servers?.[0] ?? url.origin;
  const { metadata, revocation } = await discoverServerMetadata(connection, issuerUrl, dependencies);
  assertEndpointsSafe(connection, metadata, dependencies);
  // A sign-in works without it, so an invalid endpoint is ignored.
  const { revocation_endpoint: revocationEndpoint } = revocation;
  const revocationProblem =
    revocationEndpoint === undefined
      ? undefined
      : findAddressProblem(revocationEndpoint, dependencies.allowPrivateAddresses);
  return {
    metadata,
    revocation: revocationProblem === undefined ? revocation : {},
    revocationProblem,
    resource: resourceMetadata?.resource,
    scope: chooseScope(connection, challenge.scope, resourceMetadata, metadata),
  };
}

/** The server's response to a request without credentials. */
async function requestChallenge({ kind, name }: SignInConnection, url: URL, { fetch }: DiscoveryDependencies) {
  const accept = kind === 'sse' ? 'text/event-stream' : 'application/json, text/event-stream';
  const pingRequest = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const post = {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify(pingRequest),
  };
  const response = await fetch(url, kind === 'sse' ? { headers: { accept } } : post).catch((error: unknown) => {
    if (findOwnError(error)) throw findOwnError(error);
    throw toUpstreamError({ name, url: url.href }, error);
  });
  await response.body?.cancel();
  return response.status === 401 ? extractWWWAuthenticateParams(response) : {};
}

type ResourceMetadata = Awaited<ReturnType<typeof discoverOAuthProtectedResourceMetadata>>;

/** Returns undefined for servers without metadata, such as those from before RFC 9728. */
async function discoverResourceMetadata(
  connection: SignInConnection,
  url: URL,
  metadataUrl: URL | undefined,
  { fetch }: DiscoveryDependencies,
): Promise<ResourceMetadata | undefined> {
  try {
    return await discoverOAuthProtectedResourceMetadata(
      url,
      metadataUrl ? { resourceMetadataUrl: metadataUrl } : {},
      fetch,
    );
  } catch (error) {
    if (findOwnError(error)) throw findOwnError(error);
    if (metadataUrl === undefined) return undefined;
    throw unavailableError(connection, 'its protected resource metadata is invalid');
  }
}

async function discoverServerMetadata(
  connection: SignInConnection,
  issuerUrl: string,
  { fetch, allowPrivateAddresses }: DiscoveryDependencies,
) {
  assertAddressSafe(connection, 'its authorization server', issuerUrl, allowPrivateAddresses);
  let revocation: RevocationMetadata = {};
  // The SDK drops the revocation members of OpenID documents, and rejects other documents because of them.
  const fetchFn: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    const document: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    if (!response.ok || !Value.Check(ServerMetadataWithRevocation, document)) return response;
    const { revocation_endpoint, revocation_endpoint_auth_methods_supported, ...documentWithoutRevocation } = document;
    revocation = parseRevocationMetadata({ revocation_endpoint, revocation_endpoint_auth_methods_supported });
    return Response.json(documentWithoutRevocation);
  };
  try {
    const metadata = await discoverAuthorizationServerMetadata(issuerUrl, { fetchFn });
    if (metadata) return { metadata: metadata, revocation };
  } catch (error) {
    if (findOwnError(error)) throw findOwnError(error);
    if (error instanceof IssuerMismatchError)
      throw untrustedError(connection, 'the metadata of its authorization server names another issuer');
    throw (
      toUnansweredError(connection, issuerUrl, error) ??
      unavailableError(connection, 'the metadata of its authorization server cannot be read')
    );
  }
  throw unavailableError(connection, 'its authorization server has no metadata');
}

function parseRevocationMetadata(revocationMembers: unknown): RevocationMetadata {
  return Value.Check(RevocationMetadata, revocationMembers) ? revocationMembers : {};
}

function assertEndpointsSafe(
  connection: SignInConnection,
  metadata: AuthorizationServerMetadata,
  { allowPrivateAddresses }: DiscoveryDependencies,
): void {
  const {
    authorization_endpoint: authorizationPage,
    token_endpoint: tokens,
    registration_endpoint: registration,
  } = metadata;
  assertAddressSafe(connection, 'the authorization endpoint', authorizationPage, allowPrivateAddresses);
  assertAddressSafe(connection, 'the token endpoint', tokens, allowPrivateAddresses);
  if (registration !== undefined)
    assertAddressSafe(connection, 'the registration endpoint', registration, allowPrivateAddresses);
  // Without PKCE an intercepted code could be used by others.
  if (!metadata.code_challenge_methods_supported?.includes('S256'))
    throw unavailableError(connection, 'its authorization server does not support PKCE with S256');
}

function assertAddressSafe(
  connection: SignInConnection,
  subject: string,
  address: string,
  allowPrivateAddresses: boolean,
): void {
  const problem = findAddressProblem(address, allowPrivateAddresses);
  if (problem !== undefined) throw untrustedError(connection, `${subject} ${problem}`);
}

function findAddressProblem(address: string, allowPrivateAddresses: boolean): string | undefined {
  const url = URL.parse(address);
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return 'is not a web address';
  if (url.username !== '' || url.password !== '') return 'has a user name or password in its address';
  const verdict = classifyHost(url);
  if (verdict !== undefined && !isAddressAllowed(verdict, allowPrivateAddresses))
    return `is at an address that is ${verdict.replace('_', '-')}`;
  if (url.protocol === 'http:' && verdict !== 'loopback') return 'is plain http, which is not encrypted';
  return undefined;
}

/** The error of ours in the chain of causes. */
function findOwnError(error: unknown, depth = 0): VpError | undefined {
  if (error instanceof VpError) return error;
  return error instanceof Error && depth < 5 ? findOwnError(error.cause, depth + 1) : undefined;
}

/** The configured scope; otherwise the server's scope, with `offline_access` for refresh tokens. */
function chooseScope(
  { credential }: SignInConnection,
  challengeScope: string | undefined,
  resourceMetadata: ResourceMetadata | undefined,
  { scopes_supported: supportedScopes }: AuthorizationServerMetadata,
): string | undefined {
  const configuredScope = credential.kind === 'oauth' ? credential.scope : undefined;
  if (configuredScope !== undefined) return configuredScope;
  const requestedScope = challengeScope ?? resourceMetadata?.scopes_supported?.join(' ');
  if (
    !requestedScope ||
    !supportedScopes?.includes('offline_access') ||
    requestedScope.split(' ').includes('offline_access')
  )
    return requestedScope || undefined;
  return `${requestedScope} offline_access`;
}
