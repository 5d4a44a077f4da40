/**
 * Messages of PostgreSQL's extended protocol, one behind another in one buffer. The driver makes a buffer of each and gives each to the
 * socket: thirty of them for the report of a run, where what is sent in one piece takes half the time.
 */

/** A value in the form of the protocol: a text, or bytes. */
export type StatementValue = string | Buffer | null;

const initialSize = 16 * 1024;
/** A larger buffer is given away instead of being copied. */
const maxCopiedSize = 64 * 1024;
/** A character of JavaScript takes at most so many bytes in UTF-8. */
const maxBytesPerUnit = 3;

const code = { bind: 0x42, close: 0x43, describe: 0x44, execute: 0x45, parse: 0x50, sync: 0x53 } as const;
const statementKind = 0x53;
const portalKind = 0x50;
const binaryFormat = 1;
const textFormat = 0;
const nullLength = -1;

export class MessageWriter {
  #buffer = Buffer.allocUnsafe(initialSize);
  #length = 0;

  /** The server keeps the statement under this name; an empty one stands for the newest without a name. */
  parse(name: string, text: string): void {
    const start = this.#begin(code.parse);
    this.#addText(name);
    this.#addByte(0);
    this.#addText(text);
    this.#addByte(0);
    // It finds out the types of the parameters.
    this.#addInt16(0);
    this.#end(start);
  }

  /** Results come as text. */
  bind(name: string, values: readonly StatementValue[]): void {
    const start = this.#begin(code.bind);
    this.#addByte(0);
    this.#addText(name);
    this.#addByte(0);
    this.#addInt16(values.length);
    for (const value of values) this.#addInt16(Buffer.isBuffer(value) ? binaryFormat : textFormat);
    this.#addInt16(values.length);
    for (const value of values) this.#addValue(value);
    this.#addInt16(1);
    this.#addInt16(textFormat);
    this.#end(start);
  }

  describe(): void {
    const start = this.#begin(code.describe);
    this.#addByte(portalKind);
    this.#addByte(0);
    this.#end(start);
  }

  /** All rows. */
  execute(): void {
    const start = this.#begin(code.execute);
    this.#addByte(0);
    this.#addInt32(0);
    this.#end(start);
  }

  close(name: string): void {
    const start = this.#begin(code.close);
    this.#addByte(statementKind);
    this.#addText(name);
    this.#addByte(0);
    this.#end(start);
  }

  sync(): void {
    this.#end(this.#begin(code.sync));
  }

  /** Returns what was written, and begins anew. */
  take(): Buffer {
    const written = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    if (written.length <= maxCopiedSize) return Buffer.from(written);
    this.#buffer = Buffer.allocUnsafe(initialSize);
    return written;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0;
  }

  /** Returns where the length of the message stands, which is known at its end and does not count its code. */
  #begin(messageCode: number): number {
    this.#addByte(messageCode);
    this.#addInt32(0);
    return this.#length - 4;
  }

  #end(start: number): void {
    this.#buffer.writeInt32BE(this.#length - start, start);
  }

  #addValue(value: StatementValue): void {
    this.#addInt32(nullLength);
    if (value === null) return;
    const start = this.#length;
    if (typeof value === 'string') this.#addText(value);
    else this.#addBytes(value);
    this.#buffer.writeInt32BE(this.#length - start, start - 4);
  }

  #addText(text: string): void {
    this.#reserve(text.length * maxBytesPerUnit);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  #addBytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#length += bytes.copy(this.#buffer, this.#length);
  }

  #addByte(byte: number): void {
    this.#reserve(1);
    this.#buffer[this.#length] = byte;
    this.#length += 1;
  }

  #addInt16(value: number): void {
    this.#reserve(2);
    this.#length = this.#buffer.writeUInt16BE(value, this.#length);
  }

  #addInt32(value: number): void {
    this.#reserve(4);
    this.#length = this.#buffer.writeInt32BE(value, this.#length);
  }

  #reserve(size: number): void {
    const required = this.#length + size;
    if (required <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(required, 2 * this.#buffer.length));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
