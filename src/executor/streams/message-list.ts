/** The messages of a stream as the body of its response. Each is parsed once; of their text only the beginning is stored, for people. */
import type { Json } from '../../check/json/json.ts';
import { GrowingBuffer } from '../../streams/growing-buffer.ts';

export type StreamMessages = {
  readonly values: readonly Json[];
  /** The beginning of the list as JSON, in UTF-8; the whole of it where it is shorter. */
  readonly beginning: Buffer;
  /** Of the whole list as JSON. */
  readonly sizeBytes: number;
};

/** Of the text of a list; far more than a report shows, because secrets are searched in it first. */
const maxBeginningBytes = 1024 * 1024;

export class MessageList implements StreamMessages {
  readonly values: Json[] = [];
  readonly #beginning = new GrowingBuffer();
  /** Without the closing bracket. */
  #openBytes = 0;

  /** `parts` are the JSON of the message. */
  add(value: Json, parts: readonly string[]): void {
    this.#append(this.values.length === 0 ? '[' : ',');
    for (const part of parts) this.#append(part);
    this.values.push(value);
  }

  get beginning(): Buffer {
    const text = this.#beginning.view();
    if (this.#openBytes > text.length) return text;
    return Buffer.concat([text, Buffer.from(this.values.length === 0 ? '[]' : ']')]);
  }

  get sizeBytes(): number {
    return this.values.length === 0 ? 2 : this.#openBytes + 1;
  }

  #append(text: string): void {
    const room = maxBeginningBytes - this.#beginning.length;
    this.#openBytes += Buffer.byteLength(text);
    // A character is at least one byte.
    if (room > 0) this.#beginning.append(Buffer.from(text.slice(0, room)).subarray(0, room));
  }
}
