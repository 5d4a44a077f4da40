/**
 * Collections for what is in flight: members that hold much and are there for a moment. A `Set` or `Map` that changes often
 * moves to a new table again and again, and V8 leaves in each old table its members and a reference to the next one. When one
 * such table has become old, every collection of new objects copies all members of all later tables, and what they hold, until
 * the next full collection: of 20 MB that come and go, eight members of 8 KB at a time, a plain `Set` moves more than 8 MB
 * among the old objects, and these collections less than 2 (`test/collections/in-flight.test.ts`).
 */

type Entry<Value> = {
  value: Value | undefined;
  previous: Entry<Value> | undefined;
  next: Entry<Value> | undefined;
};

/** Members in the order in which they were added; one that is added twice is there twice. */
export class InFlightSet<Value extends object> implements Iterable<Value> {
  #first: Entry<Value> | undefined;
  #last: Entry<Value> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns a function that removes the member. */
  add(value: Value): () => void {
    const entry: Entry<Value> = { value, previous: this.#last, next: undefined };
    if (this.#last) this.#last.next = entry;
    else this.#first = entry;
    this.#last = entry;
    this.#size += 1;
    return () => this.#remove(entry);
  }

  /** Looks at each member. */
  has(value: Value): boolean {
    for (const member of this) if (member === value) return true;
    return false;
  }

  /** Those that were members at the start and still are when they are reached. */
  *[Symbol.iterator](): IterableIterator<Value> {
    const entries: Entry<Value>[] = [];
    for (let entry = this.#first; entry; entry = entry.next) entries.push(entry);
    for (const { value } of entries) if (value !== undefined) yield value;
  }

  #remove(entry: Entry<Value>): void {
    if (entry.value === undefined) return;
    const { previous, next } = entry;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    entry.value = undefined;
    entry.previous = undefined;
    entry.next = undefined;
    this.#size -= 1;
  }
}

/** The same with keys. */
export class InFlightMap<Key, Value extends object> {
  readonly #entries = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#entries.set(key, { value });
  }

  /** True if there was a value. */
  delete(key: Key): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    entry.value = undefined;
    return this.#entries.delete(key);
  }

  /** Those that had a value at the start and still do when they are reached. */
  *values(): IterableIterator<Value> {
    for (const { value } of [...this.#entries.values()]) if (value !== undefined) yield value;
  }

  clear(): void {
    for (const key of [...this.#entries.keys()]) this.delete(key);
  }
}
