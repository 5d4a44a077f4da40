/**
 * What scripts of pages of other origins may reach (CORS, Fetch Standard section 3.3): nothing, unless the operator named
 * their origin, and then only the addresses that say so. Never with cookies: no answer allows credentials.
 */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestHead } from './guards.ts';

/** Whose scripts, and what they may reach. */
export type CrossOrigin = {
  /** As browsers write them: `https://inspector.example`. */
  readonly origins: ReadonlySet<string>;
  /** The methods of an address that is open to scripts, such as `GET, POST`; undefined for all other addresses. */
  methodsOf(path: string): string | undefined;
  /** Headers that scripts may send besides those that they always may, in lower case. */
  isSendable(header: string): boolean;
  /** Headers of answers that scripts may read. */
  readonly readable: readonly string[];
};

type AskingHead = RequestHead & { readonly method?: string | undefined; readonly headers: IncomingHttpHeaders };

const preflightSeconds = 600;
const mostHeaders = 50;

/** The methods where a script of another origin asks for what it may reach; undefined for every other request. */
export function sharedMethods(shared: CrossOrigin, { url = '', headers: { origin } }: RequestHead): string | undefined {
  if (origin === undefined || !shared.origins.has(origin)) return undefined;
  return shared.methodsOf(url.split('?', 1)[0] ?? '');
}

/**
 * Sets the headers by which a browser hands the answer on to a script. True when the request was a browser's question
 * whether it may ask, which is answered then. For requests that the guards let pass.
 */
export function answerScripts(shared: CrossOrigin, head: AskingHead, outgoing: ServerResponse): boolean {
  const methods = sharedMethods(shared, head);
  if (methods === undefined) return false;
  const { origin = '' } = head.headers;
  outgoing.setHeader('Access-Control-Allow-Origin', origin);
  outgoing.setHeader('Vary', 'Origin');
  const isQuestion = head.method === 'OPTIONS' && head.headers['access-control-request-method'] !== undefined;
  if (!isQuestion) {
    outgoing.setHeader('Access-Control-Expose-Headers', shared.readable.join(', '));
    return false;
  }
  outgoing.writeHead(204, {
    'Access-Control-Allow-Methods': methods,
    'Access-Control-Allow-Headers': sendable(shared, head.headers['access-control-request-headers']),
    'Access-Control-Max-Age': String(preflightSeconds),
  });
  outgoing.end();
  return true;
}

/** Those of the asked headers that may be sent. */
function sendable(shared: CrossOrigin, asked = ''): string {
  const names = asked.toLowerCase().split(',', mostHeaders);
  return names
    .map((name) => name.trim())
    .filter((name) => /^[\w!#$%&'*+.^`|~-]{1,128}$/.test(name) && shared.isSendable(name))
    .join(', ');
}
