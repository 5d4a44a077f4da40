/** A JSON text in parts, which follow one another: one string of them would be another copy of a large text. */
export type JsonParts = readonly string[];

export function joinParts(parts: JsonParts): string {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : parts.join('');
}

/** In UTF-8. */
export function countPartBytes(parts: JsonParts): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

/** In UTF-8. No part may end between the two halves of a character. */
export function encodeParts(parts: JsonParts): Buffer {
  const bytes = Buffer.allocUnsafeSlow(countPartBytes(parts));
  let end = 0;
  for (const part of parts) end += bytes.write(part, end);
  return bytes;
}

/** The parts without the last character, which closes an object. */
export function cutLastBrace(parts: JsonParts): JsonParts {
  return [...parts.slice(0, -1), parts.at(-1)?.slice(0, -1) ?? ''];
}
