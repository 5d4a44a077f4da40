/**
 * A number that two tables share only when they have the same rows. Rows are hashed one by one and the hashes are added, so the
 * order in which an engine returns them does not count: texts with unusual characters sort differently.
 */
import { hash } from 'node:crypto';
import type { CopiedRow, CopiedValue } from './copied-table.ts';

export type TableDigest = { readonly rows: number; readonly sum: string };

const mask = (1n << 64n) - 1n;

function toJsonValue(value: CopiedValue): unknown {
  // No row has an array, so no text can look like bytes.
  return value instanceof Uint8Array
    ? [Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')]
    : value;
}

export class DigestBuilder {
  #rows = 0;
  #first = 0n;
  #second = 0n;

  add(rows: readonly CopiedRow[]): void {
    for (const row of rows) {
      const bytes = hash('sha256', JSON.stringify(row.map(toJsonValue)), 'buffer');
      this.#first = (this.#first + bytes.readBigUInt64LE(0)) & mask;
      this.#second = (this.#second + bytes.readBigUInt64LE(8)) & mask;
    }
    this.#rows += rows.length;
  }

  build(): TableDigest {
    const toHex = (sum: bigint): string => sum.toString(16).padStart(16, '0');
    return { rows: this.#rows, sum: `${toHex(this.#first)}${toHex(this.#second)}` };
  }
}
