/** Decodes the bytes of one line. */

/** Lines of the target's log are kept complete up to this size. */
export const maxLineBytes = 1_048_576;

const carriageReturn = 13;

/** The text of a line without its line break. Bytes after `maxBytes` are dropped, and the text says so at its end. */
export function decodeLine(line: Buffer, maxBytes: number): string {
  if (line.length > maxBytes) {
    const text = line.subarray(0, findCharacterStart(line, maxBytes)).toString('utf8');
    return `${text}… [cut after ${maxBytes} bytes]`;
  }
  return line.subarray(0, line.at(-1) === carriageReturn ? -1 : undefined).toString('utf8');
}

/** The position at or before `position` where a UTF-8 character begins. */
function findCharacterStart(bytes: Buffer, position: number): number {
  let start = position;
  while (start > position - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
