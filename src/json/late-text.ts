/** A long string of a JSON text in bytes, which is decoded when it is read: most of them are only sent on. */
import type { JsonSource } from './json-source.ts';

const lateGetters = new WeakSet<() => unknown>();

/** True if the member is a string; one that nobody has read yet is not decoded. */
export function isTextMember(object: object, name: string): boolean {
  const { get, value } = Object.getOwnPropertyDescriptor(object, name) ?? {};
  return typeof value === 'string' || (get !== undefined && lateGetters.has(get));
}

export class LateText {
  readonly #source: JsonSource;
  readonly #range: { readonly start: number; readonly end: number };
  readonly #hasEscapes: boolean;

  /** `range` is that of the string with its quotes. */
  constructor(source: JsonSource, range: { readonly start: number; readonly end: number }, hasEscapes: boolean) {
    this.#source = source;
    this.#range = range;
    this.#hasEscapes = hasEscapes;
  }

  read(): string {
    const { start, end } = this.#range;
    return this.#hasEscapes
      ? String(JSON.parse(this.#source.slice(start, end)))
      : this.#source.slice(start + 1, end - 1);
  }

  /** A member like others for everybody who reads it; it is decoded once. */
  defineMember(object: object, name: string): void {
    const common = { enumerable: true, configurable: true };
    const set = (value: unknown): void =>
      void Object.defineProperty(object, name, { ...common, value, writable: true });
    const get = (): string => {
      const value = this.read();
      set(value);
      return value;
    };
    lateGetters.add(get);
    Object.defineProperty(object, name, { ...common, get, set });
  }
}
