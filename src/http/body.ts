/** Reads request bodies of limited size. */
import { type VpError, vpError } from '../errors/vp-error.ts';
import { GrowingBuffer } from '../streams/growing-buffer.ts';

export type JsonBody = { readonly value: unknown; readonly sizeBytes: number };

/**
 * Reads a JSON body of at most `limitBytes`. Throws MEDIA_TYPE_REFUSED, BODY_TOO_LARGE (before reading when the length is
 * declared, else as soon as the limit is exceeded), BODY_NOT_JSON.
 */
export async function readJsonBody(request: Request, limitBytes: number): Promise<JsonBody> {
  assertJsonMediaType(request.headers.get('content-type'));
  const bytes = await readBytes(request, limitBytes);
  try {
    return { value: JSON.parse(utf8.decode(bytes)), sizeBytes: bytes.length };
  } catch (cause) {
    throw vpError('BODY_NOT_JSON', {}, { cause });
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function assertJsonMediaType(type: string | null): void {
  if (type && /^application\/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type)) return;
  throw vpError('MEDIA_TYPE_REFUSED', { type: type?.slice(0, 100) || '(none)' });
}

/** Throws BODY_TOO_LARGE like {@link readJsonBody}. */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const declaredLength = request.headers.get('content-length');
  if (declaredLength !== null && Number(declaredLength) > limitBytes) throw createBodyTooLargeError(limitBytes);
  // The HTTP parser ends a body at its declared length, so it is safe to read it at once, which is fastest.
  if (declaredLength === null) return readBodyInChunks(request, limitBytes);
  const bytes = new Uint8Array(await request.arrayBuffer());
  if (bytes.length > limitBytes) throw createBodyTooLargeError(limitBytes);
  return bytes;
}

async function readBodyInChunks(request: Request, limitBytes: number): Promise<Uint8Array> {
  const bytes = new GrowingBuffer();
  for await (const chunk of request.body ?? []) {
    bytes.append(chunk);
    if (bytes.length > limitBytes) throw createBodyTooLargeError(limitBytes);
  }
  return bytes.takeAll();
}

function createBodyTooLargeError(limitBytes: number): VpError {
  return vpError('BODY_TOO_LARGE', { limit_bytes: limitBytes });
}
