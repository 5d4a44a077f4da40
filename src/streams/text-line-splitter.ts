/** Splits bytes that arrive in chunks into lines of text. */
import { GrowingBuffer } from './growing-buffer.ts';

const newline = 10;
const carriageReturn = 13;

export class TextLineSplitter {
  readonly #maxBytes: number;
  /** The start of a line whose end has not arrived; a character may be incomplete, so it is bytes. */
  readonly #rest = new GrowingBuffer();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * The lines that `chunk` completes, without their ends (LF or CR LF). Throws a RangeError for a line of more than the
   * maximum; nothing can be read afterwards.
   */
  split(chunk: Uint8Array): string[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: string[] = [];
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      lines.push(this.#complete(bytes.subarray(start, end)));
      start = end + 1;
    }
    if (start < bytes.length) this.#rest.append(bytes.subarray(start));
    this.#assertLength(this.#rest.length);
    return lines;
  }

  #complete(end: Buffer): string {
    this.#assertLength(this.#rest.length + end.length);
    if (this.#rest.length === 0) return decodeLine(end);
    this.#rest.append(end);
    // The memory of a large line is given back at once.
    const text = this.#rest.takeText();
    return text.endsWith('\r') ? text.slice(0, -1) : text;
  }

  #assertLength(bytes: number): void {
    if (bytes > this.#maxBytes) throw new RangeError(`a line is longer than ${this.#maxBytes} bytes`);
  }
}

function decodeLine(line: Buffer): string {
  const end = line.at(-1) === carriageReturn ? line.length - 1 : line.length;
  return line.toString('utf8', 0, end);
}
