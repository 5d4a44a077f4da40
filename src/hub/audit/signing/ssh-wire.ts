/** Data types of the SSH protocol (RFC 4251, section 5): strings with their length before them. */
export function writeSshString(bytes: Uint8Array): Buffer {
  return Buffer.concat([toUint32(bytes.length), bytes]);
}

export function toUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Reads values one after the other. Throws RangeError where the bytes end too early. */
export class SshReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint32(): number {
    const value = this.#bytes.readUInt32BE(this.#position);
    this.#position += 4;
    return value;
  }

  string(): Buffer {
    const end = this.uint32() + this.#position;
    if (end > this.#bytes.length) throw new RangeError('the string is longer than the message');
    const value = this.#bytes.subarray(this.#position, end);
    this.#position = end;
    return value;
  }
}
