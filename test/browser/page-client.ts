/** The official client as a page of another origin has it; bundled into a script for Chromium. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { clientStore } from '../server/client-store.ts';

const store = clientStore({ name: 'A page', redirectUrl: `${location.origin}/callback` });
const authProvider = store.provider;

async function connected(url: string): Promise<string> {
  const client = new Client({ name: 'page', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { authProvider }));
  const { tools } = await client.listTools();
  await client.close();
  return `connected, ${tools.length} tools`;
}

/** For the test to call: where a person would be sent; then, with what came back, the outcome of a connection. */
Object.assign(window, {
  async begin(url: string): Promise<string> {
    const outcome = await connected(url).catch((error: unknown) => String(error));
    return store.kept.asked.at(-1)?.href ?? outcome;
  },
  async finish(url: string, query: string): Promise<string> {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
    await transport.finishAuth(new URLSearchParams(query));
    return connected(url);
  },
});
