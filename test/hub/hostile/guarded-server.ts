/** A real MCP server behind a real authorization server of its own, as upstreams have it; its people a test decides. */
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import '../../targets/quiet-provider.ts';
import Provider, { type ClientMetadata } from 'oidc-provider';
import type { Test } from 'tap';
import { realBrowser } from '../../server/oauth-plane.ts';
import { goodServer } from './good-server.ts';
import { type Served, served } from './listening.ts';

/** The two, and what a test turns on them. */
export type GuardedServer = {
  readonly mcp: Served;
  readonly issuer: string;
  /** Who is signed in there next; undefined: they refuse. */
  who: string | undefined;
  /** Requests at its token endpoint, by grant type. */
  readonly grants: string[];
  readonly registrations: () => number;
  /** Whose tokens the MCP server saw, call by call. */
  readonly subjects: string[];
  /** All bearer tokens that it saw. */
  readonly tokens: Set<string>;
  /** Ends access tokens, or refresh tokens too. */
  revoke(what: 'access' | 'all'): void;
  /** Its authorization server gives no answer while this is true. */
  away: boolean;
  /** Awaited once between the next answer of its token endpoint and its leaving. */
  meanwhile: (() => Promise<unknown>) | undefined;
  /** The answer that `meanwhile` was for becomes a refusal. */
  refuseOnce: boolean;
  /** How often that was so. */
  refused: number;
  /** What was asked of the endpoint that takes tokens back, and its answers' statuses. */
  readonly revocations: string[];
  /** Requests to that endpoint: answered, as they should be; never answered; or answered with a fault. */
  takesBack: 'well' | 'never' | 'broken';
};

type Options = {
  readonly clients?: ClientMetadata[];
  readonly accessSeconds?: number;
  /** Takes tokens back (RFC 7009). */
  readonly revocation?: boolean;
  /** Describes itself in OpenID's own way alone. */
  readonly openIdOnly?: boolean;
};

/** Starts them; stopped when the test ends. */
export async function guardedServer(
  t: Test,
  { clients = [], accessSeconds = 3600, revocation = false, openIdOnly = false }: Options = {},
): Promise<GuardedServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const revoked = { access: new Set<string>(), all: false };
  let registrations = 0;
  const good = goodServer('newest');
  const mcp = await served(t, async (request) => {
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? '';
    const found = token === '' || revoked.access.has(token) ? undefined : await provider.AccessToken.find(token);
    const path = new URL(request.url).pathname;
    if (path.startsWith('/.well-known/oauth-protected-resource'))
      return Response.json({ resource: mcp.url, authorization_servers: [issuer], scopes_supported: ['tools'] });
    if (!found?.accountId || found.aud !== mcp.url) {
      const metadata = new URL('/.well-known/oauth-protected-resource/mcp', mcp.url);
      return new Response('', {
        status: 401,
        headers: { 'WWW-Authenticate': `Bearer resource_metadata="${metadata}", scope="tools"` },
      });
    }
    made.tokens.add(token);
    made.subjects.push(found.accountId);
    return good.answer(request);
  });
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const provider = new Provider(issuer, {
    clients,
    jwks: { keys: [{ ...key, kty: 'RSA', kid: 'one', use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['of a test'] },
    scopes: ['openid', 'offline_access', 'tools'],
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    pkce: { required: () => true },
    ttl: { AccessToken: accessSeconds },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: revocation },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcp.url,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'tools', audience: mcp.url, accessTokenFormat: 'opaque' }),
      },
    },
    interactions: { url: (_ctx, { uid }) => `/login/${uid}` },
    findAccount: async (_ctx, sub) => ({ accountId: sub, claims: async () => ({ sub }) }),
    async loadExistingGrant(ctx) {
      const { client, session } = ctx.oidc;
      const grant = new ctx.oidc.provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
      grant.addOIDCScope('openid offline_access tools');
      grant.addResourceScope(mcp.url, 'tools');
      await grant.save();
      return grant;
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    if (ctx.path === '/token/revocation') {
      const { token_type_hint: hint } = Object(ctx.oidc.body);
      made.revocations.push(`${hint} ${ctx.status}`);
    }
    const { meanwhile } = made;
    if (meanwhile && ctx.path === '/token') {
      made.meanwhile = undefined;
      await meanwhile();
    }
    const isRefused = made.refuseOnce && meanwhile !== undefined && ctx.path === '/token';
    if (isRefused) {
      made.refuseOnce = false;
      made.refused += 1;
    }
    if ((isRefused || revoked.all) && ctx.path === '/token') {
      ctx.status = 400;
      ctx.body = { error: 'invalid_grant' };
    }
  });
  const callback = provider.callback();
  handle = (request, response) => {
    const url = request.url ?? '';
    if (made.away) return void response.destroy();
    if (url === '/reg') registrations += 1;
    if (openIdOnly && url.startsWith('/.well-known/oauth-')) return void response.writeHead(404).end();
    if (url === '/token/revocation' && made.takesBack === 'never') return undefined;
    if (url === '/token/revocation' && made.takesBack === 'broken') return void response.writeHead(503).end('busy');
    if (!url.startsWith('/login/')) return void callback(request, response);
    return void interacted(request, response);
  };
  async function interacted(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { who } = made;
    const { prompt, params } = await provider.interactionDetails(request, response);
    if (!who) return provider.interactionFinished(request, response, { error: 'access_denied' });
    const login = { login: { accountId: who, remember: false } };
    if (prompt.name === 'login') return provider.interactionFinished(request, response, login);
    const grant = new provider.Grant({ clientId: String(params.client_id), accountId: who });
    grant.addOIDCScope('openid offline_access tools');
    grant.addResourceScope(mcp.url, 'tools');
    const consent = { consent: { grantId: await grant.save() } };
    return provider.interactionFinished(request, response, consent);
  }
  provider.on('grant.success', (ctx) => void made.grants.push(String(ctx.oidc.params?.grant_type)));
  provider.on('grant.error', (ctx) => void made.grants.push(`${String(ctx.oidc.params?.grant_type)} refused`));
  const made: GuardedServer = {
    mcp,
    issuer,
    who: 'somebody',
    grants: [],
    registrations: () => registrations,
    subjects: [],
    tokens: new Set(),
    away: false,
    meanwhile: undefined,
    refuseOnce: false,
    refused: 0,
    revocations: [],
    takesBack: 'well',
    revoke(what) {
      for (const token of made.tokens) revoked.access.add(token);
      revoked.all = what === 'all';
    },
  };
  return made;
}

/** Goes through the pages of an authorization server, as a browser does; where it sends the browser back to. */
export async function throughPages(start: string, issuer: string): Promise<string> {
  const one = realBrowser(issuer);
  const trail = [start];
  let at = start;
  for (let hops = 0; hops < 10 && new URL(at).origin === issuer; hops += 1) {
    const answer = await one.go(at);
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`the pages ended with ${answer.status}: ${await answer.text()}`);
    at = new URL(next, at).href;
    trail.push(at);
  }
  if (new URL(at).origin === issuer) throw new Error(trail.join(' '));
  return at;
}
