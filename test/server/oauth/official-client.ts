/** The official client connects to a hub, with a person who consents. */
import {
  Client,
  type ClientOptions,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { ClientStore } from './client-store.ts';
import { decideInteraction, type HttpBrowser } from './oauth-control-plane.ts';

/** The query of the redirect after the person has consented. */
export async function approveAuthorization(browser: HttpBrowser, url: URL | undefined): Promise<URLSearchParams> {
  const consent = await decideInteraction(
    browser,
    await decideInteraction(browser, await browser.navigate(url?.href ?? ''), true),
    true,
  );
  return new URL(consent.headers.get('location') ?? '').searchParams;
}

/** Connects with the stored tokens. */
export async function connectClient(
  address: string,
  provider: OAuthClientProvider,
  options: ClientOptions,
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
  const client = new Client({ name: 'official', version: '1' }, options);
  await client.connect(transport);
  return client;
}

/** Gets refused, signs in, consents, redeems the code and connects. */
export async function connectWithSignIn(
  browser: HttpBrowser,
  address: string,
  store: ClientStore,
  options: ClientOptions,
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: store.provider });
  const client = new Client({ name: 'official', version: '1' }, options);
  const error = await client.connect(transport).catch((error: unknown) => error);
  if (!(error instanceof UnauthorizedError)) throw error;
  await transport.finishAuth(await approveAuthorization(browser, store.state.authorizationUrls.at(-1)));
  return connectClient(address, store.provider, options);
}
