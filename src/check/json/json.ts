/** JSON values (RFC 8259) as checks see them. */

declare global {
  interface JSON {
    /** What `stringify` writes as it is (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
  }
}

/**
 * A JSON number that JavaScript's numbers cannot represent as it was written: `12345678901234567890`, `1.0`, `1e2`, `-0`. It
 * is compared and displayed by its source text. All other numbers are plain ones.
 */
export class Numeral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  /** For `JSON.stringify`, at any depth. */
  toJSON(): object {
    return JSON.rawJSON(this.text);
  }
}

export type JsonObject = { readonly [key: string]: Json };

export type Json = null | boolean | number | Numeral | string | readonly Json[] | JsonObject;

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObjectValue(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Numeral);
}

/** The text that checks compare: strings as they are, everything else as compact JSON, numbers as sent. */
export function toStringForm(value: Json): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : JSON.stringify(value);
}
