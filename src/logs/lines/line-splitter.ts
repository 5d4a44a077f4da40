/** Splits incoming bytes into blocks of complete lines, without examining each line. */
import { GrowingBuffer } from '../../streams/growing-buffer.ts';

const newline = 10;

/** Receives a block: one or more complete lines, each with its line break. Its memory may be reused after the call. */
export type BlockHandler = (block: Buffer) => void;

/**
 * Splits one stream of bytes. An incomplete line is kept until the rest arrives; of a line longer than `maxBytes` only
 * the first `maxBytes + 1` bytes are kept, so that the reader can detect the cut.
 */
export class LineSplitter {
  readonly #maxBytes: number;
  readonly #rest = new GrowingBuffer();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The line without a line break yet; empty when there is none. */
  get incompleteLine(): Buffer {
    return Buffer.from(this.#rest.view());
  }

  /** Passes the lines that `chunk` completes to `takeBlock`, in at most two blocks. */
  push(chunk: Buffer, takeBlock: BlockHandler): void {
    const bytes = this.#rest.length === 0 ? skipLeadingNulls(chunk) : chunk;
    const last = bytes.lastIndexOf(newline);
    const first = this.#rest.length === 0 || last === -1 ? -1 : bytes.indexOf(newline);
    if (first !== -1) {
      this.#append(bytes.subarray(0, first));
      this.flush(takeBlock);
    }
    if (last > first) takeBlock(bytes.subarray(first + 1, last + 1));
    this.#append(bytes.subarray(last + 1));
  }

  /** Passes the incomplete line on as if it were complete. */
  flush(takeBlock: BlockHandler): void {
    if (this.#rest.length === 0) return;
    this.#rest.append(Buffer.of(newline));
    takeBlock(this.#rest.takeAll());
  }

  /** Copies the bytes, because their owner may reuse the memory. */
  #append(bytes: Buffer): void {
    const freeBytes = this.#maxBytes + 1 - this.#rest.length;
    if (bytes.length === 0 || freeBytes <= 0) return;
    const piece = bytes.subarray(0, freeBytes);
    this.#rest.append(this.#rest.length === 0 ? Buffer.from(piece) : piece);
  }
}

/** A file truncated under a writer that does not append begins with as many null bytes as it had bytes before. */
function skipLeadingNulls(bytes: Buffer): Buffer {
  if (bytes[0] !== 0) return bytes;
  const first = bytes.findIndex((byte) => byte !== 0);
  return first === -1 ? bytes.subarray(0, 0) : bytes.subarray(first);
}
