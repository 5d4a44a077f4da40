import type { Person } from '../../contract/identity-api.ts';

/** The browser that signs in: `client` is its User-Agent, `device` its device secret when it signed in before. */
export type BrowserInfo = { readonly address: string; readonly client: string; readonly device?: string | undefined };

/** A new session with its secrets, which are returned only this once. */
export type OpenedSession = {
  readonly person: Person;
  readonly proof: string;
  readonly cookie: string;
  readonly device: string;
};
