/** A value that is created at its first use; later uses share the promise. */
export class Lazy<T> {
  readonly #create: () => Promise<T>;
  #value: Promise<T> | undefined;

  constructor(create: () => Promise<T>) {
    this.#create = create;
  }

  get(): Promise<T> {
    this.#value ??= this.#create();
    return this.#value;
  }

  /** The value if it was created or is being created. */
  get created(): Promise<T> | undefined {
    return this.#value;
  }
}
