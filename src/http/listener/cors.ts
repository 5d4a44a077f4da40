/**
 * What scripts of other origins may call (CORS, Fetch Standard section 3.3): nothing, unless the operator has listed their
 * origin, and then only shared paths. Never with cookies: no response allows credentials.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestHead } from './request-head.ts';

export type CrossOriginPolicy = {
  /** Serialized origins: `https://inspector.example`. */
  readonly origins: ReadonlySet<string>;
  /** The methods of a shared path, such as `GET, POST`; undefined for all other paths. */
  getMethods(path: string): string | undefined;
  /** Whether scripts may send a header (in lower case) that is not CORS-safelisted. */
  isAllowedHeader(header: string): boolean;
  /** Response headers that scripts may read. */
  readonly exposedHeaders: readonly string[];
};

type CrossOriginRequestHead = RequestHead & {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
};

const preflightSeconds = 600;
const maxRequestedHeaders = 50;

/** The allowed methods when a script of a listed origin calls a shared path; undefined for every other request. */
export function getCrossOriginMethods(
  policy: CrossOriginPolicy,
  { url = '', headers: { origin } }: RequestHead,
): string | undefined {
  if (origin === undefined || !policy.origins.has(origin)) return undefined;
  return policy.getMethods(url.split('?', 1)[0] ?? '');
}

/**
 * Sets the CORS headers of a response. Returns true when the request was a preflight, which is then answered. Only for
 * requests that the guards have accepted.
 */
export function handleCrossOrigin(
  policy: CrossOriginPolicy,
  head: CrossOriginRequestHead,
  outgoing: ServerResponse,
): boolean {
  const methods = getCrossOriginMethods(policy, head);
  if (methods === undefined) return false;
  const { origin = '' } = head.headers;
  outgoing.setHeader('Access-Control-Allow-Origin', origin);
  outgoing.setHeader('Vary', 'Origin');
  const isPreflight = head.method === 'OPTIONS' && head.headers['access-control-request-method'] !== undefined;
  if (!isPreflight) {
    outgoing.setHeader('Access-Control-Expose-Headers', policy.exposedHeaders.join(', '));
    return false;
  }
  outgoing.writeHead(204, {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': filterAllowedHeaders(policy, head.headers['access-control-request-headers']),
    'Access-Control-Max-Age': String(preflightSeconds),
  });
  outgoing.end();
  return true;
}

function filterAllowedHeaders(policy: CrossOriginPolicy, requestedHeaders = ''): string {
  const names = requestedHeaders.toLowerCase().split(',', maxRequestedHeaders);
  return names
    .map((name) => name.trim())
    .filter((name) => /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) && policy.isAllowedHeader(name))
    .join(', ');
}
