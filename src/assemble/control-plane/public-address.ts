import { buildSetupUrl } from '../../identity/accounts/setup-link.ts';
import type { Identity } from '../../identity/identity.ts';

/**
 * The base URL of a control plane for its callers: the public URL, or that of the listener once it is open. Links, the issuer of
 * tokens and the OpenAPI document begin with it.
 */
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

  /** Undefined when there is an owner already. */
  async createSetupLink(setup: Pick<Identity['setup'], 'isNeeded' | 'createSecret'>): Promise<string | undefined> {
    return (await setup.isNeeded()) ? buildSetupUrl(this.#origin, await setup.createSecret()) : undefined;
  }
}
