/** Finds the ends of server-sent events, which an empty line has, in a stream that arrives in pieces. */

const newline = 10;
const carriageReturn = 13;

export class EventEnds {
  #endsWithNewline = false;

  /** Where the last event of `bytes` ends, -1 when none does; its empty line may begin in the bytes before. */
  findLast(bytes: Buffer): number {
    const end = findLastEventEnd(bytes);
    const continuesLine = this.#endsWithNewline;
    this.#endsWithNewline = bytes.at(-1) === newline;
    if (end >= 0 || !continuesLine) return end;
    const index = bytes[0] === carriageReturn ? 1 : 0;
    return bytes[index] === newline ? index + 1 : -1;
  }
}

/** Lines may end with CR LF. */
function findLastEventEnd(bytes: Buffer): number {
  let index = bytes.lastIndexOf(newline);
  while (index > 0) {
    const before = bytes[index - 1] === carriageReturn ? index - 2 : index - 1;
    if (bytes[before] === newline) return index + 1;
    index = bytes.lastIndexOf(newline, index - 1);
  }
  return -1;
}
