/** An MCP server with an authorization server beside it, which say of each other whatever a test lets them say. */
import type { Test } from 'tap';
import { type Served, served } from './listening.ts';
import { rawServer } from './raw-server.ts';

/** What they say; what is left out is as it should be. */
export type Lies = {
  resource?: object;
  /** In `WWW-Authenticate`. */
  resourceMetadata?: string;
  metadata?: Record<string, unknown>;
  /** Any other answer of the two. */
  any?: (request: Request) => Response | undefined;
};

/** The two, and every request that the authorization server got: method, path, and form. */
export type LyingSignIn = { readonly mcp: Served; readonly issuer: string; readonly asked: string[]; lies: Lies };

/** Starts them. */
export async function lyingSignIn(t: Pick<Test, 'teardown'>): Promise<LyingSignIn> {
  const asked: string[] = [];
  const raw = rawServer({});
  const server = await served(t, async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(`${request.method} ${pathname} ${request.method === 'POST' ? await request.clone().text() : ''}`.trim());
    return made.lies.any?.(request) ?? answer(request, pathname);
  });
  const issuer = new URL(server.url).origin;
  const mcp = await served(t, (request) => {
    const { pathname } = new URL(request.url);
    const special = made.lies.any?.(request);
    if (special) return special;
    if (pathname.startsWith('/.well-known/oauth-protected-resource'))
      return Response.json({ resource: mcp.url, authorization_servers: [issuer], ...made.lies.resource });
    if (request.headers.get('authorization') === 'Bearer good') return raw(request);
    const { resourceMetadata = new URL('/.well-known/oauth-protected-resource/mcp', mcp.url).href } = made.lies;
    const headers = { 'WWW-Authenticate': `Bearer resource_metadata="${resourceMetadata}"` };
    return new Response('', { status: 401, headers });
  });
  function answer(request: Request, pathname: string): Response {
    if (pathname === '/.well-known/oauth-authorization-server')
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        registration_endpoint: `${issuer}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        authorization_response_iss_parameter_supported: true,
        ...made.lies.metadata,
      });
    if (pathname === '/register')
      return Response.json(
        { client_id: 'registered', redirect_uris: ['http://localhost:7700/hubs/sign-in'] },
        { status: 201 },
      );
    if (pathname === '/token') return Response.json({ access_token: 'good', token_type: 'Bearer' });
    return new Response(`nothing for ${request.method}`, { status: 404 });
  }
  const made: LyingSignIn = { mcp, issuer, asked, lies: {} };
  return made;
}
