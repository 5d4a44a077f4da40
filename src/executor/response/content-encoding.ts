/**
 * Decodes Content-Encoding (RFC 9110 section 8.4) up to a size limit, so that a small response cannot expand into a
 * large one.
 */
import { promisify } from 'node:util';

export type DecodedContent =
  | { readonly kind: 'decoded'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** An unsupported encoding; the bytes stay as they are. */
  | { readonly kind: 'unknown'; readonly encoding: string }
  | { readonly kind: 'broken'; readonly encoding: string; readonly reason: string };

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

/** Loaded at the first encoded response: loading zlib takes milliseconds of every start. */
async function loadDecoders(): Promise<Readonly<Record<string, Decoder>>> {
  const { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } = await import('node:zlib');
  const inflateAsync = promisify(inflate);
  const inflateRawAsync = promisify(inflateRaw);
  return {
    gzip: promisify(gunzip),
    'x-gzip': promisify(gunzip),
    br: promisify(brotliDecompress),
    zstd: promisify(zstdDecompress),
    // zlib's format (RFC 9110 section 8.4.1.2), but some servers send a raw deflate stream.
    deflate(bytes, options) {
      const hasZlibHead = bytes.length > 1 && (bytes.readUInt8(0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
      return hasZlibHead ? inflateAsync(bytes, options) : inflateRawAsync(bytes, options);
    },
  };
}

const maxLayers = 4;

/** Decodes the encodings of the header `contentEncoding`, last one first; returns at most `maxBytes`. */
export async function decodeContent(bytes: Buffer, contentEncoding: string, maxBytes: number): Promise<DecodedContent> {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const layers = names.filter((name) => name !== '' && name !== 'identity').reverse();
  if (layers.length > maxLayers) {
    return { kind: 'broken', encoding: contentEncoding, reason: `${layers.length} nested encodings` };
  }
  let current = bytes;
  for (const encoding of layers) {
    const decoded = await decodeLayer(current, encoding, maxBytes);
    if (decoded.kind !== 'decoded') return decoded;
    current = decoded.bytes;
  }
  return { kind: 'decoded', bytes: current };
}

async function decodeLayer(bytes: Buffer, encoding: string, maxBytes: number): Promise<DecodedContent> {
  const decoders = await loadDecoders();
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!decoder) return { kind: 'unknown', encoding };
  if (bytes.length === 0) return { kind: 'decoded', bytes };
  try {
    return { kind: 'decoded', bytes: await decoder(bytes, { maxOutputLength: maxBytes }) };
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      return { kind: 'too_large' };
    }
    return { kind: 'broken', encoding, reason: error instanceof Error ? error.message : String(error) };
  }
}
