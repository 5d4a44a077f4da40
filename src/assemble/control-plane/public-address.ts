/** The base URL of a control plane for its callers: the public URL, or that of the listener once it is open. */
export class PublicAddress {
  #origin: string;

  constructor(publicUrl: URL | undefined) {
    this.#origin = publicUrl?.origin ?? '';
  }

  /** Empty while neither is known. */
  get origin(): string {
    return this.#origin;
  }

  /** Ignored with a public URL. */
  setListenerUrl(url: string): void {
    this.#origin ||= url;
  }
}
