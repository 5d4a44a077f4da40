/** The official MCP client in a page of another origin; bundled into a script for Chromium. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createClientStore } from '../server/oauth/client-store.ts';

const store = createClientStore({ name: 'A page', redirectUrl: `${location.origin}/callback` });
const authProvider = store.provider;

async function connect(url: string): Promise<string> {
  const client = new Client({ name: 'page', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const { tools } = await client.listTools();
  await client.close();
  return `connected, ${tools.length} tools`;
}

/** Called by the test: `start` returns the authorization URL, `finish` connects with the query of the callback. */
Object.assign(window, {
  async start(url: string): Promise<string> {
    const outcome = await connect(url).catch((error: unknown) => String(error));
    return store.state.authorizationUrls.at(-1)?.href ?? outcome;
  },
  async finish(url: string, query: string): Promise<string> {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
    await transport.finishAuth(new URLSearchParams(query));
    return connect(url);
  },
});
