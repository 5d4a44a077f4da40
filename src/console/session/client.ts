import { createContext, useContext } from 'react';
import { type Client, createClient } from '../../client/client.ts';
import { createIdentityClient, type IdentityClient } from '../../client/identity.ts';
import { credentialHeaders } from './credential.ts';
import { takeEarlyResponse } from './early-responses.ts';

/** Client of the control plane that served this page. */
export type ConsoleClient = Client & { readonly identity: IdentityClient };

/** Sends both halves of the session with each request: the cookie and the proof header. */
export function createConsoleClient(origin: string): ConsoleClient {
  const client = createClient({
    baseUrl: origin,
    token: undefined,
    fetch: (url, init) =>
      takeEarlyResponse(url, init.method) ??
      fetch(url, { ...init, headers: { ...init.headers, ...credentialHeaders() }, credentials: 'same-origin' }),
  });
  return { ...client, identity: createIdentityClient(client.transport) };
}

export const ConsoleClientContext = createContext<ConsoleClient | undefined>(undefined);

export function useClient(): ConsoleClient {
  const client = useContext(ConsoleClientContext);
  if (!client) throw new TypeError('ConsoleClientContext is missing');
  return client;
}
