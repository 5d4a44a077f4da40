/** A long string of a JSON text in bytes, which is decoded when it is read: most of them are only sent on. */

const lateGetters = new WeakSet<() => unknown>();

/** True if the member is a string; one that nobody has read yet is not decoded. */
export function isTextMember(object: object, name: string): boolean {
  const { get, value } = Object.getOwnPropertyDescriptor(object, name) ?? {};
  return typeof value === 'string' || (get !== undefined && lateGetters.has(get));
}

export class LateText {
  #decode: (() => string) | undefined;
  #text = '';

  /** `decode` is a copy of bytes and nothing else: whoever reads the member waits for it. */
  constructor(decode: () => string) {
    this.#decode = decode;
  }

  #read(): string {
    if (this.#decode) this.#text = this.#decode();
    this.#decode = undefined;
    return this.#text;
  }

  /** A member like others for everybody who reads or sets it; it is decoded once. */
  defineMember(object: object, name: string): void {
    const get = (): string => this.#read();
    lateGetters.add(get);
    Object.defineProperty(object, name, {
      enumerable: true,
      configurable: true,
      get,
      set(this: object, value: unknown) {
        Object.defineProperty(this, name, { enumerable: true, configurable: true, writable: true, value });
      },
    });
  }
}
