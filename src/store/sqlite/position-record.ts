/** The bytes of a position file: `vp1`, state, commits, process and stamp, padded, with a checksum and a newline. */
import { crc32 } from 'node:zlib';

export type StorePosition = {
  /** `closed`: the store was closed in order, and `fileStamp` is its state then. */
  readonly state: 'open' | 'closed';
  readonly commits: number;
  /** The process that has, or had, the store open. */
  readonly pid: number;
  /** Size and time of change of the store's file. */
  readonly fileStamp: string;
};

/** Records have a constant length, so that a newer value overwrites an older one. */
export const recordBytes = 96;
/** Behind the text are a space, eight digits of the checksum, and the newline. */
const textBytes = recordBytes - 10;
const recordPattern = /^vp1 (open|closed) (\d{1,15}) (\d{1,10}) ([\d.:-]{1,40}) *$/;

/** Undefined when a power cut has torn it. */
export function parseRecord(record: string): StorePosition | undefined {
  const text = record.slice(0, textBytes);
  const [, state, commits, pid, fileStamp = ''] = recordPattern.exec(text) ?? [];
  if (record.slice(textBytes + 1, -1) !== crc32(text).toString(16).padStart(8, '0')) return undefined;
  if (state !== 'open' && state !== 'closed') return undefined;
  return { state, commits: Number(commits), pid: Number(pid), fileStamp };
}

const zero = 48;
const hexDigits = Buffer.from('0123456789abcdef');

/** CRC-32 of zlib and PNG: a call of zlib's takes longer than these few bytes. */
const checksumTable = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/**
 * One record that is changed in place. Every commit writes it, with nothing changed but the count, in code that is no longer in the
 * processor's caches then: composing a text anew took ten times as long as the digits.
 */
export class PositionRecord {
  readonly bytes = Buffer.alloc(recordBytes, ' ');
  #last: StorePosition | undefined;
  /** The bytes of the count. */
  #countFrom = 0;
  #countEnd = 0;

  set(position: StorePosition): void {
    if (!this.#hasSameForm(position)) this.#setText(position);
    else this.#setCount(position.commits);
    this.#last = position;
    this.#setChecksum();
  }

  /** Nothing but the count differs, and its length is the same. */
  #hasSameForm({ state, commits, pid, fileStamp }: StorePosition): boolean {
    const last = this.#last;
    if (last?.state !== state || last.pid !== pid || last.fileStamp !== fileStamp) return false;
    const limit = 10 ** (this.#countEnd - this.#countFrom);
    return commits < limit && commits >= limit / 10;
  }

  #setText({ state, commits, pid, fileStamp }: StorePosition): void {
    const start = `vp1 ${state} `;
    this.#countFrom = start.length;
    this.#countEnd = start.length + String(commits).length;
    this.bytes.fill(' ', 0, textBytes);
    this.bytes.write(`${start}${commits} ${pid} ${fileStamp}`, 0, textBytes, 'latin1');
    this.bytes[recordBytes - 1] = 10;
  }

  #setCount(commits: number): void {
    let rest = commits;
    for (let index = this.#countEnd - 1; index >= this.#countFrom; index -= 1) {
      const tens = Math.floor(rest / 10);
      this.bytes[index] = zero + rest - 10 * tens;
      rest = tens;
    }
  }

  #setChecksum(): void {
    const { bytes } = this;
    let value = -1;
    for (let index = 0; index < textBytes; index += 1)
      value = (value >>> 8) ^ (checksumTable[(value ^ (bytes[index] ?? 0)) & 255] ?? 0);
    value ^= -1;
    for (let index = recordBytes - 2; index > textBytes; index -= 1) {
      bytes[index] = hexDigits[value & 15] ?? 0;
      value >>>= 4;
    }
  }
}
