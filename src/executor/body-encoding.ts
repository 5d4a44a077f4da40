/** Undoes Content-Encoding (RFC 9110 section 8.4), bounded, so that a small answer cannot become a large one. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';

/** What undoing came to. */
export type Decoded =
  | { readonly kind: 'decoded'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** An encoding that is not known here; the bytes stay as they are. */
  | { readonly kind: 'unknown'; readonly encoding: string }
  | { readonly kind: 'broken'; readonly encoding: string; readonly reason: string };

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflated = promisify(inflate);
const inflatedRaw = promisify(inflateRaw);

/** `deflate` is zlib's format (RFC 9110 section 8.4.1.2), but some servers send the bare stream. */
const deflate: Decoder = async (bytes, options) => {
  const hasZlibHead = bytes.length > 1 && (bytes.readUInt8(0) & 15) === 8 && bytes.readUInt16BE(0) % 31 === 0;
  return hasZlibHead ? inflated(bytes, options) : inflatedRaw(bytes, options);
};

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
  deflate,
};

/** More than this many encodings on top of each other are refused as broken. */
const layersLimit = 4;

/** Undoes the encodings named by the header `contentEncoding`, last one first; never more than `limitBytes`. */
export async function undoEncoding(bytes: Buffer, contentEncoding: string, limitBytes: number): Promise<Decoded> {
  const names = contentEncoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const layers = names.filter((name) => name !== '' && name !== 'identity').reverse();
  if (layers.length > layersLimit) {
    return { kind: 'broken', encoding: contentEncoding, reason: `${layers.length} encodings on top of each other` };
  }
  let current = bytes;
  for (const encoding of layers) {
    const undone = await undoOne(current, encoding, limitBytes);
    if (undone.kind !== 'decoded') return undone;
    current = undone.bytes;
  }
  return { kind: 'decoded', bytes: current };
}

async function undoOne(bytes: Buffer, encoding: string, limitBytes: number): Promise<Decoded> {
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!decoder) return { kind: 'unknown', encoding };
  if (bytes.length === 0) return { kind: 'decoded', bytes };
  try {
    return { kind: 'decoded', bytes: await decoder(bytes, { maxOutputLength: limitBytes }) };
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      return { kind: 'too_large' };
    }
    return { kind: 'broken', encoding, reason: error instanceof Error ? error.message : String(error) };
  }
}
