/**
 * Bytes that arrive in chunks, copied into one buffer that doubles when it is full. A list of chunks costs a hundred bytes or more
 * per chunk, so that a sender of one-byte chunks multiplies what it sends; and joining with each chunk takes quadratic time. A buffer
 * that was too small gives its memory back at once: until garbage is collected, those of 10 MiB would be 16 more.
 */
export class GrowingBuffer {
  #bytes: Buffer = noBytes;
  /** What `#bytes` are a view of; undefined where that is not ours. */
  #memory: ArrayBuffer | undefined;
  /** The content is `#bytes` between the two. */
  #start = 0;
  #end = 0;
  #expectedLength = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** How much is to come, if that is known: then the buffer grows once. */
  expect(length: number): void {
    this.#expectedLength = length;
  }

  /** The first chunk is not copied, so it must not change afterwards. */
  append(chunk: Uint8Array): void {
    if (this.length === 0 && chunk.length > 0) {
      this.#bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      this.#memory = undefined;
      this.#start = 0;
      this.#end = chunk.length;
      return;
    }
    if (this.#end + chunk.length > this.#bytes.length) this.#reserve(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** The content, not copied: valid until the next call of another method. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start, this.#end);
  }

  /** Removes the first `length` bytes and returns a copy of them. */
  take(length: number): Buffer {
    const bytes = Buffer.from(this.view().subarray(0, length));
    this.#start += bytes.length;
    return bytes;
  }

  /** Removes the content and returns it, not copied. */
  takeAll(): Buffer {
    const bytes = this.view();
    this.clear();
    return bytes;
  }

  /** The same to be kept: copied where much more memory would be kept with it. */
  takeFitting(): Uint8Array<ArrayBuffer> {
    const { byteOffset, length } = this.view();
    const memory = this.#memory;
    if (memory && memory.byteLength <= length * maxKeptShare) {
      this.clear();
      return new Uint8Array(memory, byteOffset, length);
    }
    const copy = new Uint8Array(this.view());
    memory?.transfer(0);
    this.clear();
    return copy;
  }

  /** Removes the content and returns it as UTF-8; its memory is given back at once. */
  takeText(): string {
    const text = this.view().toString('utf8');
    this.#memory?.transfer(0);
    this.clear();
    return text;
  }

  clear(): void {
    this.#bytes = noBytes;
    this.#memory = undefined;
    this.#start = 0;
    this.#end = 0;
  }

  /** Removes the content, whose views become empty, and gives its memory back at once. */
  discard(): void {
    this.#memory?.transfer(0);
    this.clear();
  }

  #reserve(additionalLength: number): void {
    const { length } = this;
    const needed = length + additionalLength;
    const isExpected = needed >= minExpectedSize && needed <= this.#expectedLength;
    const doubled = Math.max(needed, needed > initialSize ? length * 2 : initialSize);
    const capacity = isExpected ? this.#expectedLength : doubled;
    // Not filled with zeros, which takes as long as the copy: nobody sees what is not written.
    const grown = Buffer.allocUnsafeSlow(capacity);
    this.view().copy(grown);
    this.#memory?.transfer(0);
    this.#memory = grown.buffer;
    this.#bytes = grown;
    this.#start = 0;
    this.#end = length;
  }
}

const initialSize = 1024;
/** Before so much has arrived, nobody relies on what was announced. */
const minExpectedSize = 262_144;
const maxKeptShare = 1.25;
const noBytes = Buffer.alloc(0);
