/** The body of a request, bounded before it is in memory. */
import { type VpError, vpError } from '../errors/vp-error.ts';

/** A JSON body as it was read. */
export type JsonBody = { readonly value: unknown; readonly sizeBytes: number };

/**
 * Reads a JSON body of at most `limitBytes`. Throws MEDIA_TYPE_REFUSED, BODY_TOO_LARGE (before reading, where the
 * length is told; else as soon as it is known), BODY_NOT_JSON.
 */
export async function readJson(request: Request, limitBytes: number): Promise<JsonBody> {
  demandJson(request.headers.get('content-type'));
  const bytes = await readBytes(request, limitBytes);
  try {
    return { value: JSON.parse(utf8.decode(bytes)), sizeBytes: bytes.length };
  } catch (cause) {
    throw vpError('BODY_NOT_JSON', {}, { cause });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function demandJson(type: string | null): void {
  if (type && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) return;
  throw vpError('MEDIA_TYPE_REFUSED', { type: type?.slice(0, 100) || '(none)' });
}

/** Reads a body of at most `limitBytes` as it is. Throws BODY_TOO_LARGE like {@link readJson}. */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const told = request.headers.get('content-length');
  if (told !== null && Number(told) > limitBytes) throw tooLarge(limitBytes);
  // The parser of HTTP ends a body at the length that was told, so that one is safe to read whole, which is fastest.
  if (told === null) return readCounting(request, limitBytes);
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > limitBytes) throw tooLarge(limitBytes);
  return bytes;
}

async function readCounting(request: Request, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(limitBytes: number): VpError {
  return vpError('BODY_TOO_LARGE', { limit_bytes: limitBytes });
}
