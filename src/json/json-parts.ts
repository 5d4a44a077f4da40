/** A JSON text in parts, which follow one another: one string of them would be another copy of a large text. */
import type { JsonPart } from './json-source.ts';

export type JsonParts = readonly JsonPart[];

export function joinParts(parts: JsonParts): string {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? toText(only) : parts.map(toText).join('');
}

function toText(part: JsonPart): string {
  return typeof part === 'string' ? part : Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1');
}

/** In UTF-8. */
export function countPartBytes(parts: JsonParts): number {
  return parts.reduce((sum, part) => sum + countBytes(part), 0);
}

function countBytes(part: JsonPart): number {
  return typeof part === 'string' ? Buffer.byteLength(part) : part.length;
}

/** In UTF-8; bytes are not copied, and texts between them are one piece. No part may end between the two halves of a character. */
export function encodeParts(parts: JsonParts): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let texts: string[] = [];
  for (const part of parts) {
    if (typeof part === 'string') texts.push(part);
    else {
      if (texts.length > 0) pieces.push(encodeTexts(texts));
      texts = [];
      pieces.push(part);
    }
  }
  return texts.length > 0 ? [...pieces, encodeTexts(texts)] : pieces;
}

/** In memory of its own: a large one would take all of the pool. */
function encodeTexts(texts: readonly string[]): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(countPartBytes(texts));
  let end = 0;
  for (const text of texts) end += bytes.write(text, end);
  return bytes;
}

/** The parts without the last character, which closes an object. */
export function cutLastBrace(parts: JsonParts): JsonParts {
  return [...parts.slice(0, -1), toText(parts.at(-1) ?? '').slice(0, -1)];
}
