/**
 * Content coding of responses (RFC 9110 section 8.4), negotiated by Accept-Encoding, and entity tags of what may be cached. One
 * place for the console, the documentation and the API.
 *
 * BREACH needs a secret and text of an attacker in one compressed answer to a request that a foreign page can cause. Answers
 * with a credential are answers to POST and are never encoded, nor are those that set a cookie, errors, or what says
 * `no-transform`; and the session's cookie is SameSite=Strict, so a foreign page gets no answer with data. Streams are left
 * alone, because a coder would hold events back; so are small bodies.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

type Coding = 'br' | 'gzip';
type Quality = { readonly brotli: number; readonly gzip: number };

/** A public body, which is encoded once. Below this it is one packet anyway. */
const minPublicBytes = 1024;
/**
 * A body with data of users, which is encoded for each request. Up to TCP's initial window (RFC 6928: 10 segments) it arrives in
 * one round trip, encoded or not, and a coder costs more time than the smaller body saves.
 */
const minPrivateBytes = 14_600;
/** Of public bodies. 5 takes 27 ms for the console's largest script, 71 kB; 11 takes 855 ms, 64 kB (measured). */
const publicQuality: Quality = { brotli: 5, gzip: 6 };
/** Somebody waits for it: 174 kB of a comparison take 0.4 ms with 1 and 2.3 ms with 5, and 19 kB both times (measured). */
const privateQuality: Quality = { brotli: 1, gzip: 1 };
/** The encoded forms of public files in memory. */
const maxCachedBytes = 16_777_216;

const compressibleType =
  /^(?:text\/(?:html|css|javascript|plain|markdown)|application\/(?:json|xml|javascript|manifest\+json)|image\/svg\+xml)\s*(?:;|$)/i;

/** Encodes a response for a request, or answers 304; returns all others as they are. */
export type ResponseEncoder = (request: Request, response: Response) => Promise<Response>;

export function createResponseEncoder(): ResponseEncoder {
  const encodeCached = createEncodingCache();
  return async (request, response) => {
    if (!mayEncode(request, response)) return response;
    appendVary(response.headers);
    // A HEAD has no body to encode or to hash; the other headers are those of the GET.
    if (request.method === 'HEAD') return response;
    const isPublic = !/no-store/i.test(response.headers.get('cache-control') ?? '');
    const coding = negotiateCoding(request.headers.get('accept-encoding'));
    const minBytes = isPublic ? minPublicBytes : minPrivateBytes;
    const declaredBytes = Number(response.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
    if (!isPublic && (coding === undefined || declaredBytes < minBytes)) return response;
    // A look at the body makes a stream of it, which the server then reads and sends in pieces.
    if (response.body === null) return response;
    const bytes = Buffer.from(await response.arrayBuffer());
    const headers = new Headers(response.headers);
    headers.delete('content-length');
    const used = bytes.length < minBytes ? undefined : coding;
    const digest = isPublic ? createHash('sha256').update(bytes).digest('base64url') : '';
    if (isPublic) headers.set('ETag', `"${digest}${used === undefined ? '' : `-${used}`}"`);
    if (isPublic && matchesTag(request.headers.get('if-none-match'), headers.get('etag') ?? '')) {
      headers.delete('content-type');
      return new Response(null, { status: 304, headers });
    }
    if (used === undefined) return new Response(bytes, { headers });
    headers.set('Content-Encoding', used);
    const encoded = isPublic
      ? await encodeCached(`${digest}-${used}`, used, bytes)
      : await encode(used, bytes, privateQuality);
    return new Response(new Uint8Array(encoded), { headers });
  };
}

function mayEncode({ method }: Request, response: Response): boolean {
  // The headers of a response are created where they are read first.
  if ((method !== 'GET' && method !== 'HEAD') || response.status !== 200) return false;
  const { headers } = response;
  return (
    compressibleType.test(headers.get('content-type') ?? '') &&
    !headers.has('content-encoding') &&
    !headers.has('set-cookie') &&
    !/no-transform/i.test(headers.get('cache-control') ?? '')
  );
}

function appendVary(headers: Headers): void {
  const vary = headers.get('vary') ?? '';
  if (!/accept-encoding|\*/i.test(vary)) headers.append('Vary', 'Accept-Encoding');
}

/**
 * The coding of Accept-Encoding (RFC 9110 section 12.5.3) with the highest weight that is ours, Brotli before gzip; undefined
 * for the body as it is: without the header, or where `identity` has a higher weight.
 */
export function negotiateCoding(header: string | null): Coding | undefined {
  if (header === null) return undefined;
  const weights = new Map(header.split(',', 50).flatMap((item) => parseWeight(item) ?? []));
  const getWeight = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;
  const identity = weights.get('identity') ?? 0;
  const [best] = (['br', 'gzip'] as const)
    .map((name) => ({
      name,
      weight: name === 'gzip' ? Math.max(getWeight(name), weights.get('x-gzip') ?? 0) : getWeight(name),
    }))
    .filter(({ weight }) => weight > 0 && weight >= identity)
    .sort((a, b) => b.weight - a.weight);
  return best?.name;
}

/** A malformed weight counts as refused: what was meant is unknown, and the body as it is can always be read. */
function parseWeight(item: string): [string, number][] | undefined {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  if (name === '') return undefined;
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  if (weight === undefined) return [[name, 1]];
  return [[name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0]];
}

/** Weak comparison (RFC 9110 section 13.1.2). */
function matchesTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  const known = header.split(',').map((item) => item.trim().replace(/^W\//, ''));
  return known.includes(tag) || known.includes('*');
}

const compressBrotli = promisify<Uint8Array, object, Buffer>(brotliCompress);
const compressGzip = promisify<Uint8Array, object, Buffer>(gzip);

function encode(coding: Coding, bytes: Buffer, quality: Quality): Promise<Buffer> {
  if (coding === 'gzip') return compressGzip(bytes, { level: quality.gzip });
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality.brotli, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  return compressBrotli(bytes, { params });
}

/** Encodes each content once; the oldest are forgotten. */
function createEncodingCache(): (key: string, coding: Coding, bytes: Buffer) => Promise<Buffer> {
  const entries = new Map<string, Buffer>();
  let cachedBytes = 0;
  return async (key, coding, bytes) => {
    const cached = entries.get(key);
    if (cached) return cached;
    const encoded = await encode(coding, bytes, publicQuality);
    if (!entries.has(key)) cachedBytes += encoded.length;
    entries.set(key, encoded);
    for (const [oldest, { length }] of entries) {
      if (cachedBytes <= maxCachedBytes) break;
      entries.delete(oldest);
      cachedBytes -= length;
    }
    return encoded;
  };
}
