/** OpenID providers on loopback: a real one with users set by the test, and one that forges responses. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import '../../targets/quiet-provider.ts';
import Provider from 'oidc-provider';
import type { Test } from 'tap';
import { getProviderKey } from '../../targets/provider-key.ts';

/** Claims of a user. */
export type OpenidUser = {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
};

/** Our client registration. */
export const client = { id: 'vp-of-a-test', secret: 'a secret that nobody guesses, of a test' };

/** A provider in use. */
export type OpenidProvider = {
  readonly issuer: string;
  /** The next user; undefined refuses. */
  currentUser: OpenidUser | undefined;
  /** Requests at its token endpoint. */
  readonly tokenCalls: () => number;
  close(): Promise<void>;
};

async function startServer(t: Test, listener: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  t.teardown(close);
  const address = server.address();
  const port = isAddress(address) ? address.port : 0;
  return { issuer: `http://127.0.0.1:${port}`, close };
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}

/** A real provider that signs in `currentUser` without a prompt. `emailInToken` false: only userinfo has the email. */
export async function startOpenidProvider(
  t: Test,
  redirectUri: string,
  { emailInToken = true }: { emailInToken?: boolean } = {},
): Promise<OpenidProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  let tokenCalls = 0;
  const { issuer, close } = await startServer(t, (request, response) => {
    if (request.url === '/token') tokenCalls += 1;
    handle(request, response);
  });
  const openidProvider: OpenidProvider = { issuer, currentUser: undefined, tokenCalls: () => tokenCalls, close };
  const users = new Map<string, OpenidUser>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [getProviderKey()] },
    cookies: { keys: ['of a test'] },
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !emailInToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    async findAccount(_ctx, sub) {
      return { accountId: sub, claims: async () => ({ ...users.get(sub), sub }) };
    },
    async loadExistingGrant(ctx) {
      const { client: oidcClient, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: oidcClient?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/login/')) return void callback(request, response);
    const { currentUser } = openidProvider;
    if (currentUser) users.set(currentUser.sub, currentUser);
    const result = currentUser
      ? { login: { accountId: currentUser.sub, remember: false } }
      : { error: 'access_denied' };
    return void provider.interactionFinished(request, response, result);
  };
  return openidProvider;
}

/** What a forging provider changes in its ID token and responses. */
export type Forgery = {
  claims?: Record<string, unknown>;
  /** Sign with an unpublished key. */
  foreignKey?: boolean;
  /** In the answer by the browser. */
  iss?: string;
  state?: string;
};

/** A provider that redirects at once with forged responses. */
export async function startForgingProvider(t: Test): Promise<{ issuer: string; forgery: Forgery }> {
  const ownKey = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nonces = new Map<string, { nonce: string; challenge: string }>();
  const forgingProvider: { issuer: string; forgery: Forgery } = { issuer: '', forgery: {} };
  const token = (nonce: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const standardClaims = {
      iss: forgingProvider.issuer,
      aud: client.id,
      sub: 'someone',
      iat: now,
      exp: now + 300,
      nonce,
    };
    const emailClaims = { email: 'max@example.com', email_verified: true };
    const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${encodePart({ alg: 'ES256', kid: 'k' })}.${encodePart({ ...standardClaims, ...emailClaims, ...forgingProvider.forgery.claims })}`;
    const { privateKey } = forgingProvider.forgery.foreignKey ? foreign : ownKey;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  const json = (response: ServerResponse, value: object, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const { issuer } = await startServer(t, async (request, response) => {
    const url = new URL(request.url ?? '/', forgingProvider.issuer);
    if (url.pathname.startsWith('/.well-known/')) return json(response, metadata(forgingProvider.issuer));
    if (url.pathname === '/jwks')
      return json(response, {
        keys: [{ ...ownKey.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'ES256' }],
      });
    if (url.pathname === '/authorize') return authorize(url, response);
    const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const authorization = nonces.get(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (authorization?.challenge !== challenge) return json(response, { error: 'invalid_grant' }, 400);
    return json(response, { access_token: 'a', token_type: 'Bearer', id_token: token(authorization.nonce) });
  });
  function authorize({ searchParams: params }: URL, response: ServerResponse): void {
    const code = `code-${nonces.size}`;
    nonces.set(code, { nonce: params.get('nonce') ?? '', challenge: params.get('code_challenge') ?? '' });
    const redirect = new URL(params.get('redirect_uri') ?? '');
    const { state = params.get('state') ?? '', iss = forgingProvider.issuer } = forgingProvider.forgery;
    redirect.search = new URLSearchParams({ code, state, iss }).toString();
    response.writeHead(302, { location: redirect.href }).end();
  }
  forgingProvider.issuer = issuer;
  return forgingProvider;
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
  };
}
