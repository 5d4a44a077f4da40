/** The bytes of one line → its text. */

/** Lines of the target's log are whole up to so many bytes. */
export const lineLimitBytes = 1_048_576;

const carriageReturn = 13;

/** Text of a line without its line break. What lies behind `limitBytes` is left out, and the text says so at its end. */
export function lineText(line: Buffer, limitBytes: number): string {
  if (line.length > limitBytes) {
    const kept = line.subarray(0, characterStart(line, limitBytes)).toString('utf8');
    return `${kept}… [cut after ${limitBytes} bytes]`;
  }
  return line.subarray(0, line.at(-1) === carriageReturn ? -1 : undefined).toString('utf8');
}

/** The place at or before `at` where a character of UTF-8 begins. */
function characterStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > at - 4 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
