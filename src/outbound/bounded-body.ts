/** Reads the body of a response up to a limit: a peer that never ends costs no more memory than that. */
import { GrowingBuffer } from '../streams/growing-buffer.ts';

export type BodySource = { getReader(): BodySourceReader };
type BodySourceReader = {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
};

const tooLargeCode = 'ERR_RESPONSE_TOO_LARGE';

export function createTooLargeError(maxBytes: number): Error {
  return Object.assign(new Error(`the response has more than ${maxBytes} bytes`), { code: tooLargeCode });
}

export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === tooLargeCode;
}

/** Rejects with ERR_RESPONSE_TOO_LARGE and cancels the body when it has more than `maxBytes`. */
export async function readBytesWithin(body: BodySource | null, maxBytes: number): Promise<Buffer> {
  const bytes = new GrowingBuffer();
  const reader = body?.getReader();
  for (let result = await reader?.read(); result && !result.done; result = await reader?.read()) {
    if (result.value) bytes.append(result.value);
    if (bytes.length <= maxBytes) continue;
    await reader?.cancel();
    throw createTooLargeError(maxBytes);
  }
  return bytes.takeAll();
}

/** The same as text in UTF-8, without a byte order mark. */
export async function readTextWithin(body: BodySource | null, maxBytes: number): Promise<string> {
  return decodeText(await readBytesWithin(body, maxBytes));
}

const utf8 = new TextDecoder();

export function decodeText(bytes: Uint8Array): string {
  return utf8.decode(bytes);
}
