/** A second OpenID provider on loopback: a real one, whose people a test decides; and one that forges what it is told to. */
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import '../targets/quiet-provider.ts';
import Provider from 'oidc-provider';
import type { Test } from 'tap';

/** What the provider knows of whoever comes. */
export type Outsider = {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
  name?: string;
};

/** How we are registered with it. */
export const client = { id: 'vp-of-a-test', secret: 'a secret that nobody guesses, of a test' };

/** A provider in use. */
export type OutsideProvider = {
  readonly issuer: string;
  /** Who signs in next; undefined: they refuse. */
  who: Outsider | undefined;
  /** Requests at its token endpoint. */
  readonly tokenCalls: () => number;
  close(): Promise<void>;
};

async function listening(t: Test, listener: (request: IncomingMessage, response: ServerResponse) => void) {
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

/** The real one: whoever is `who` is signed in without being asked. `emailInToken` false: only userinfo has the email. */
export async function outsideProvider(
  t: Test,
  redirectUri: string,
  { emailInToken = true }: { emailInToken?: boolean } = {},
): Promise<OutsideProvider> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  let tokenCalls = 0;
  const { issuer, close } = await listening(t, (request, response) => {
    if (request.url === '/token') tokenCalls += 1;
    handle(request, response);
  });
  const made: OutsideProvider = { issuer, who: undefined, tokenCalls: () => tokenCalls, close };
  const known = new Map<string, Outsider>();
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
    jwks: { keys: [{ ...key, kty: 'RSA', kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of a test'] },
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: !emailInToken,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    async findAccount(_ctx, sub) {
      return { accountId: sub, claims: async () => ({ ...known.get(sub), sub }) };
    },
    async loadExistingGrant(ctx) {
      const { client: asking, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: asking?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const callback = provider.callback();
  handle = (request, response) => {
    if (!request.url?.startsWith('/login/')) return void callback(request, response);
    const { who } = made;
    if (who) known.set(who.sub, who);
    const result = who ? { login: { accountId: who.sub, remember: false } } : { error: 'access_denied' };
    return void provider.interactionFinished(request, response, result);
  };
  return made;
}

/** What a forging provider says in its ID token, and how it answers. */
export type Forgery = {
  claims?: Record<string, unknown>;
  /** Signed by a key that it does not publish. */
  foreignKey?: boolean;
  /** In the answer by the browser. */
  iss?: string;
  state?: string;
};

/** One that answers at once with what it was told to forge. */
export async function forgingProvider(t: Test): Promise<{ issuer: string; forgery: Forgery }> {
  const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const nonces = new Map<string, { nonce: string; challenge: string }>();
  const made: { issuer: string; forgery: Forgery } = { issuer: '', forgery: {} };
  const token = (nonce: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const honest = { iss: made.issuer, aud: client.id, sub: 'someone', iat: now, exp: now + 300, nonce };
    const about = { email: 'max@example.com', email_verified: true };
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'ES256', kid: 'k' })}.${part({ ...honest, ...about, ...made.forgery.claims })}`;
    const { privateKey } = made.forgery.foreignKey ? foreign : own;
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  const json = (response: ServerResponse, value: object, status = 200): void => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
  const { issuer } = await listening(t, async (request, response) => {
    const url = new URL(request.url ?? '/', made.issuer);
    if (url.pathname.startsWith('/.well-known/')) return json(response, metadata(made.issuer));
    if (url.pathname === '/jwks')
      return json(response, {
        keys: [{ ...own.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'ES256' }],
      });
    if (url.pathname === '/authorize') return authorize(url, response);
    const body = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
    const asked = nonces.get(body.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    if (asked?.challenge !== challenge) return json(response, { error: 'invalid_grant' }, 400);
    return json(response, { access_token: 'a', token_type: 'Bearer', id_token: token(asked.nonce) });
  });
  function authorize({ searchParams: asked }: URL, response: ServerResponse): void {
    const code = `code-${nonces.size}`;
    nonces.set(code, { nonce: asked.get('nonce') ?? '', challenge: asked.get('code_challenge') ?? '' });
    const back = new URL(asked.get('redirect_uri') ?? '');
    const { state = asked.get('state') ?? '', iss = made.issuer } = made.forgery;
    back.search = new URLSearchParams({ code, state, iss }).toString();
    response.writeHead(302, { location: back.href }).end();
  }
  made.issuer = issuer;
  return made;
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
