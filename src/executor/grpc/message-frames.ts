/** Messages on the wire: a flag, a length of four bytes, and the message. */

const headLength = 5;

export function encodeFrame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(headLength);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** A compressed message, which we never accept, ends the reading. */
export type FrameProblem = 'compressed';

/** Cuts what arrives into messages. */
export class MessageFrameReader {
  #chunks: Buffer[] = [];
  #length = 0;

  /** True where the beginning of a message has arrived, and not its end. */
  get isWithinMessage(): boolean {
    return this.#length > 0;
  }

  /** The messages that are complete now. */
  read(chunk: Buffer): readonly Buffer[] | FrameProblem {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    const messages: Buffer[] = [];
    for (let length = this.#peekLength(); length !== undefined; length = this.#peekLength()) {
      if (length === 'compressed') return length;
      if (this.#length < headLength + length) break;
      messages.push(this.#take(headLength + length).subarray(headLength));
    }
    return messages;
  }

  #peekLength(): number | FrameProblem | undefined {
    if (this.#length < headLength) return undefined;
    const [first = Buffer.alloc(0)] = this.#chunks;
    const head = first.length >= headLength ? first : this.#join();
    return head[0] === 0 ? head.readUInt32BE(1) : 'compressed';
  }

  #join(): Buffer {
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  #take(length: number): Buffer {
    const joined = this.#chunks.length === 1 ? (this.#chunks[0] ?? this.#join()) : this.#join();
    const rest = joined.subarray(length);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#length = rest.length;
    return joined.subarray(0, length);
  }
}
