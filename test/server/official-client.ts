/** The official client on its way into a hub, with a person who lets it in. */
import {
  Client,
  type ClientOptions,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { ClientStore } from './client-store.ts';
import { answer, type RealBrowser } from './oauth-plane.ts';

/** What the browser comes back with once its person has allowed it. */
export async function allowed(one: RealBrowser, url: URL | undefined): Promise<URLSearchParams> {
  const consent = await answer(one, await answer(one, await one.go(url?.href ?? ''), true), true);
  return new URL(consent.headers.get('location') ?? '').searchParams;
}

/** Connects with what the store has. */
export async function connectedBy(
  address: string,
  provider: OAuthClientProvider,
  options: ClientOptions,
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: provider });
  const client = new Client({ name: 'official', version: '1' }, options);
  await client.connect(transport);
  return client;
}

/** The whole way: refused, asked, allowed, redeemed, connected. */
export async function wayIn(
  one: RealBrowser,
  address: string,
  store: ClientStore,
  options: ClientOptions,
): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(address), { authProvider: store.provider });
  const client = new Client({ name: 'official', version: '1' }, options);
  const refused = await client.connect(transport).catch((error: unknown) => error);
  if (!(refused instanceof UnauthorizedError)) throw refused;
  await transport.finishAuth(await allowed(one, store.kept.asked.at(-1)));
  return connectedBy(address, store.provider, options);
}
