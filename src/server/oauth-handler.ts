import type { ServerResponse } from 'node:http';
import { asVpError } from '../errors/vp-error.ts';
import type { RawHandler } from '../http/listen.ts';
import { problemOf, problemType } from '../http/problem.ts';
import { isOAuthPath, type OAuth } from '../identity/oauth/oauth.ts';
import type { Rate } from './rate.ts';

/** The OAuth server's paths, which read the connection themselves; not too often from one address. */
export function oauthHandler(oauth: OAuth, calls: Rate): RawHandler {
  return {
    accepts: isOAuthPath,
    handle(incoming, outgoing, address) {
      try {
        calls.take(address);
      } catch (thrown) {
        return refuse(outgoing, thrown);
      }
      oauth.handle(incoming, outgoing, address);
    },
  };
}

function refuse(outgoing: ServerResponse, thrown: unknown): void {
  const error = asVpError(thrown);
  const headers = { 'Content-Type': problemType, 'Retry-After': String(error.values.retry_after_s ?? 5) };
  outgoing.writeHead(error.row.status, headers).end(JSON.stringify(problemOf(error)));
}
