declare global {
  interface JSON {
    /** What `stringify` writes as it is (ECMAScript, JSON.parse source text access). */
    rawJSON(text: string): object;
  }
}

/**
 * A JSON number that JavaScript's numbers cannot show as it was written: `12345678901234567890`, `1.0`, `1e2`, `-0`. It is
 * compared and shown by its source text. All other numbers are plain ones.
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
