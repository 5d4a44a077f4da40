/** Bytes as they come → blocks of whole lines, without looking at each line. */

const newline = 10;

/** Takes a block: one or more whole lines, each with its line break. Its memory may be used again after the call. */
export type BlockTaker = (block: Buffer) => void;

/**
 * Splits one stream of bytes. A line that is not complete waits for its rest; of one longer than `limitBytes` only the
 * first `limitBytes + 1` bytes are kept, by which its reader knows that it was cut.
 */
export class LineSplitter {
  readonly #limitBytes: number;
  #pieces: Buffer[] = [];
  #pieceBytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The line that has begun and has no line break yet; empty where there is none. */
  get torn(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  /** Gives the lines that `chunk` completes to `take`, in at most two blocks. */
  push(chunk: Buffer, take: BlockTaker): void {
    const bytes = this.#pieceBytes === 0 ? withoutLeadingNulls(chunk) : chunk;
    const last = bytes.lastIndexOf(newline);
    const first = this.#pieceBytes === 0 || last === -1 ? -1 : bytes.indexOf(newline);
    if (first !== -1) {
      this.#keep(bytes.subarray(0, first));
      this.flush(take);
    }
    if (last > first) take(bytes.subarray(first + 1, last + 1));
    this.#keep(bytes.subarray(last + 1));
  }

  /** Gives the line that has begun as if it were complete. */
  flush(take: BlockTaker): void {
    if (this.#pieceBytes === 0) return;
    const line = Buffer.concat([...this.#pieces, Buffer.of(newline)]);
    this.#pieces = [];
    this.#pieceBytes = 0;
    take(line);
  }

  /** Copied: who gave the bytes may use their memory again. */
  #keep(bytes: Buffer): void {
    const room = this.#limitBytes + 1 - this.#pieceBytes;
    if (bytes.length === 0 || room <= 0) return;
    const piece = Buffer.from(bytes.subarray(0, room));
    this.#pieces.push(piece);
    this.#pieceBytes += piece.length;
  }
}

/** A file emptied under a writer that does not append begins with as many of them as were there before. */
function withoutLeadingNulls(bytes: Buffer): Buffer {
  if (bytes[0] !== 0) return bytes;
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? bytes.subarray(0, 0) : bytes.subarray(first);
}
