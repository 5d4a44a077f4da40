/** Messages on the wire: a flag, a length of four bytes, and the message. */
import { GrowingBuffer } from '../../streams/growing-buffer.ts';

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
  readonly #received = new GrowingBuffer();

  /** True where the beginning of a message has arrived, and not its end. */
  get isWithinMessage(): boolean {
    return this.#received.length > 0;
  }

  /** The messages that are complete now. */
  read(chunk: Buffer): readonly Buffer[] | FrameProblem {
    this.#received.append(chunk);
    const messages: Buffer[] = [];
    while (this.#received.length >= headLength) {
      const head = this.#received.view();
      if (head[0] !== 0) return 'compressed';
      const frameLength = headLength + head.readUInt32BE(1);
      if (this.#received.length < frameLength) break;
      messages.push(this.#received.take(frameLength).subarray(headLength));
    }
    return messages;
  }
}
