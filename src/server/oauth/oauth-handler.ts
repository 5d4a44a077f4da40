import type { ServerResponse } from 'node:http';
import { toVpError } from '../../errors/vp-error.ts';
import type { RawHandler } from '../../http/listener/request-listener.ts';
import type { MountedPaths } from '../../http/mounted-paths.ts';
import { problemMediaType, toProblemBody } from '../../http/problem.ts';
import { isOAuthPath, type OAuth } from '../../identity/oauth/oauth.ts';
import type { RateLimiter } from '../../limits/rate-limiter.ts';

/** The OAuth server authenticates its callers by the rules of OAuth. `/oauth/register` is a route of ours. */
export const oauthServerPaths: MountedPaths = {
  kind: 'mounted',
  name: 'OAuth server',
  methods: ['GET', 'POST', 'OPTIONS'],
  paths: ['/oauth/*', '/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'],
  credential: 'by the rules of OAuth 2.1',
  accepts: isOAuthPath,
};

/** Passes node:http requests to the OAuth server, rate-limited by network. */
export function createOAuthHandler(oauth: Pick<OAuth, 'handle'>, limiter: RateLimiter): RawHandler {
  return {
    accepts: oauthServerPaths.accepts,
    handle(incoming, outgoing, { address }) {
      try {
        limiter.take(address);
      } catch (thrown) {
        return writeRefusal(outgoing, thrown);
      }
      oauth.handle(incoming, outgoing, address);
    },
  };
}

function writeRefusal(outgoing: ServerResponse, thrown: unknown): void {
  const error = toVpError(thrown);
  const headers = { 'Content-Type': problemMediaType, 'Retry-After': String(error.values.retry_after_s ?? 5) };
  outgoing.writeHead(error.row.status, headers).end(JSON.stringify(toProblemBody(error)));
}
