/**
 * Bounds of JSON, checked before it costs: of a text while its bytes arrive, and of a value before a schema sees it. Parsing
 * and validation take time in proportion to values and levels, not to bytes.
 */

export type JsonBounds = {
  /** Members of objects and elements of arrays, together. */
  readonly maxValues: number;
  readonly maxDepth: number;
};

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Counts the values and levels of a JSON text in pieces; whether the text is JSON is left to the parser. */
export class JsonBoundsScanner {
  readonly #bounds: JsonBounds;
  #values = 1;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
  }

  get values(): number {
    return this.#values;
  }

  /** Returns the bound that the text up to here exceeds, otherwise undefined. */
  scan(bytes: Uint8Array): keyof JsonBounds | undefined {
    const { maxValues, maxDepth } = this.#bounds;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === backslash) this.#isEscaped = true;
        else if (byte === quote) this.#isInString = false;
      } else if (byte === quote) this.#isInString = true;
      else if (byte === comma) this.#values += 1;
      else if (byte === 0x7b || byte === 0x5b) {
        this.#values += 1;
        this.#depth += 1;
        if (this.#depth > maxDepth) return 'maxDepth';
      } else if (byte === 0x7d || byte === 0x5d) this.#depth -= 1;
      if (this.#values > maxValues) return 'maxValues';
    }
    return undefined;
  }
}

/** True if `value` has more than `max` values; stops counting there. */
export function exceedsValueCount(value: unknown, max: number): boolean {
  const pending: unknown[] = [value];
  let count = 0;
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next !== 'object' || next === null) continue;
    for (const name in next) {
      count += 1;
      if (count > max) return true;
      pending.push(Reflect.get(next, name));
    }
  }
  return false;
}
