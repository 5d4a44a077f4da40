import { inspect } from 'node:util';

/** A value that does not print itself: logs, JSON and templates contain `[redacted]`. */
export class Secret {
  readonly #value: string;
  /** The name in the `.env` file. */
  readonly name: string;

  constructor(name: string, value: string) {
    this.name = name;
    this.#value = value;
  }

  /** The value itself; call this only where it is sent. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return `Secret(${this.name})`;
  }
}

/** The values of `secrets`, longest first, without duplicates, as a list that does not print itself either. */
export function collectSecretValues(secrets: readonly Secret[]): readonly string[] {
  const values = [...new Set(secrets.map((secret) => secret.reveal()))].sort((a, b) => b.length - a.length);
  return Object.defineProperties(values, {
    toJSON: { value: () => '[redacted]' },
    [inspect.custom]: { value: () => '[redacted]' },
  });
}
