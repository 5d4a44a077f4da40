/** Headers that are added to a response whatever it will be. Most requests add none, and the web's `Headers` cost more than they do. */
export type AddedHeaders = Pick<Headers, 'append' | 'delete'>;

export class LazyHeaders implements AddedHeaders {
  #headers: Headers | undefined;

  append(name: string, value: string): void {
    this.#headers ??= new Headers();
    this.#headers.append(name, value);
  }

  delete(name: string): void {
    this.#headers?.delete(name);
  }

  addTo(response: Response): void {
    for (const [name, value] of this.#headers ?? []) response.headers.append(name, value);
  }
}
