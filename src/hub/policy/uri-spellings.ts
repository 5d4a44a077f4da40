/**
 * The spellings under which a server may take a URI for another one (RFC 3986 section 6, and the URL Standard, with which the official
 * SDK looks resources up): a rule about `file:///private/*` is about `file:///%70rivate/a` too. Case counts in paths, as it does for
 * most servers.
 */
import { matchesTool } from './tool-pattern.ts';

const schemeAndRest = /^(?<scheme>[a-z][a-z0-9+.-]*):(?<rest>.*)$/isu;
const authorityAndRest = /^\/\/(?<authority>[^/?#]*)(?<rest>.*)$/su;
const pathAndRest = /^(?<path>[^?#]*)(?<rest>.*)$/su;
const unreserved = /^[A-Za-z0-9\-._~]$/;
/** Some servers decode twice. */
const maxDecodings = 3;

/** A name of the policy with what it is under other spellings; the first three are those of patterns too. */
export type SpelledName = { readonly name: string; readonly spellings: readonly string[]; readonly bare: string };

/** Schemes whose authority the URL Standard understands. */
const webSchemes: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
/** What the URL Standard drops before it reads anything. */
const ignored = /[\t\n\r]|^[\p{Cc} ]+|[\p{Cc} ]+$/gu;

/** In the host of a pattern, `*` stands for other characters. */
type UriKind = 'uri' | 'pattern';

/** Itself, with its escapes of unreserved characters decoded, and with all of them decoded; the last two normalized. */
function listSpellings(uri: string, kind: UriKind): readonly string[] {
  return [uri, normalize(decodeUnreserved(uri), kind), normalize(decodeAll(uri), kind)];
}

function decodeUnreserved(text: string): string {
  return text.replaceAll(/%[0-9a-f]{2}/giu, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return unreserved.test(character) ? character : encoded.toUpperCase();
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Runs of other characters that are not UTF-8 stay; a letter, a slash or a dot beside them is decoded all the same. */
function decodeAll(text: string): string {
  let decoded = text;
  for (let times = 0; times < maxDecodings && decoded.includes('%'); times += 1)
    decoded = decoded.replaceAll(/%[0-7][0-9a-f]|(?:%[89a-f][0-9a-f])+/giu, decodeEscapes);
  return decoded;
}

function decodeEscapes(escapes: string): string {
  try {
    return utf8.decode(Buffer.from(escapes.replaceAll('%', ''), 'hex'));
  } catch {
    return escapes;
  }
}

/** Scheme and host in lower case, the path without empty segments, dots and backslashes. */
function normalize(uri: string, kind: UriKind, normalizeSegment = (segment: string): string => segment): string {
  const { scheme: sentScheme = '', rest: sentRest = '' } =
    schemeAndRest.exec(uri.replaceAll(ignored, ''))?.groups ?? {};
  const scheme = sentScheme.toLowerCase();
  const isWeb = webSchemes.has(scheme);
  const afterScheme = isWeb ? withWebSlashes(sentRest) : sentRest;
  const { authority, rest: afterAuthority = afterScheme } = authorityAndRest.exec(afterScheme)?.groups ?? {};
  const { path = '', rest = '' } = pathAndRest.exec(afterAuthority)?.groups ?? {};
  const isOpen = kind === 'pattern' && authority?.includes('*') === true;
  const host =
    authority === undefined ? '' : `//${isWeb && !isOpen ? parseWebHost(scheme, authority) : authority.toLowerCase()}`;
  return `${scheme}:${host}${isWeb && !isOpen && path === '' ? '/' : normalizePath(path, normalizeSegment)}${rest}`;
}

/** Any number of slashes and backslashes begins the authority of these schemes. */
function withWebSlashes(afterScheme: string): string {
  const { path = '', rest = '' } = pathAndRest.exec(afterScheme)?.groups ?? {};
  return `//${path.replaceAll('\\', '/').replace(/^\/+/u, '')}${rest}`;
}

/** Without user, default port and the dot of the root, in ASCII. */
function parseWebHost(scheme: string, authority: string): string {
  const url = URL.parse(`${scheme}://${authority}/`);
  return url ? url.host.replace(/\.(?=:|$)/u, '') : authority.toLowerCase();
}

function normalizePath(path: string, normalizeSegment: (segment: string) => string): string {
  const segments: string[] = [];
  const parts = path.replaceAll('\\', '/').split('/');
  const rootLength = parts[0] === '' ? 1 : 0;
  for (const [index, part] of parts.entries()) {
    // Some servers take `..;x` for `..`.
    const dots = part.split(';')[0];
    const isEdge = index === 0 || index === parts.length - 1;
    if (dots === '..' && segments.length > rootLength) segments.pop();
    if (dots === '..' || dots === '.') {
      if (index === parts.length - 1) segments.push('');
    } else if (part !== '' || isEdge) segments.push(normalizeSegment(part));
  }
  return segments.join('/');
}

/** Without parameters of segments; a file has no host but this one, and no query. */
function toBareSpelling(uri: string): string {
  const bare = normalize(decodeAll(uri), 'uri', (segment) => segment.split(';')[0] ?? '');
  if (!bare.startsWith('file:')) return bare;
  const path = bare.slice('file:'.length).replace(/^\/\/(?:localhost|127\.0\.0\.1|\[::1\])?(?=\/)/u, '');
  return `file://${path.replace(/[?#].*$/su, '')}`;
}

const separator = '__';
const maxCached = 10_000;
const patterns = new Map<string, readonly string[]>();

function splitName(name: string): readonly [connection: string, uri: string] | undefined {
  const start = name.indexOf(separator) + separator.length;
  const uri = name.slice(start);
  const isUri = start >= separator.length && schemeAndRest.test(uri.replaceAll(ignored, ''));
  return isUri ? [name.slice(0, start), uri] : undefined;
}

/** Undefined for a name that has one spelling only, because it has no URI. */
export function spellName(name: string, kind: UriKind = 'uri'): SpelledName | undefined {
  const parts = splitName(name);
  if (!parts) return undefined;
  const [connection, uri] = parts;
  const spellings = listSpellings(uri, kind).map((spelling) => `${connection}${spelling}`);
  return { name, spellings, bare: `${connection}${toBareSpelling(uri)}` };
}

/** Patterns are used again and again. */
function listPatternSpellings(pattern: string): readonly string[] {
  const cached = patterns.get(pattern);
  if (cached) return cached;
  if (patterns.size >= maxCached) patterns.clear();
  const spellings = spellName(pattern, 'pattern')?.spellings ?? [pattern, pattern, pattern];
  patterns.set(pattern, spellings);
  return spellings;
}

/** What is denied is denied under every spelling. */
export function matchesAnySpelling(pattern: string, { spellings, bare }: SpelledName): boolean {
  const names = [...spellings, bare];
  return listPatternSpellings(pattern).some((spelling) => names.some((name) => matchesTool(spelling, name)));
}

/** What is allowed must be allowed however its server understands it. */
export function matchesEachSpelling(pattern: string, { spellings }: SpelledName): boolean {
  return listPatternSpellings(pattern).every((spelling, index) => matchesTool(spelling, spellings[index] ?? ''));
}
