import { createContext, useContext } from 'react';
import { type Client, createClient } from '../../client/client.ts';
import { type IdentityClient, identityOf } from '../../client/identity.ts';
import { credentialHeaders } from './credential.ts';

/** The control plane that served this page. */
export type Connection = Client & { readonly identity: IdentityClient };

/** Calls the origin of this page, each call with both halves of the session. */
export function connect(origin: string): Connection {
  const client = createClient({
    baseUrl: origin,
    token: undefined,
    fetch: (url, init) =>
      fetch(url, { ...init, headers: { ...init.headers, ...credentialHeaders() }, credentials: 'same-origin' }),
  });
  return { ...client, identity: identityOf(client.transport) };
}

/** Given once, in main.tsx. */
export const ConnectionContext = createContext<Connection | undefined>(undefined);

/** The connection of this page. */
export function useConnection(): Connection {
  const connection = useContext(ConnectionContext);
  if (!connection) throw new TypeError('no ConnectionContext above');
  return connection;
}
