/** The official client as a page of another origin has it; bundled into a script for Chromium. */
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';

/** What the page keeps between its steps. */
type Kept = { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier: string; asked: string };

const kept: Kept = { verifier: '', asked: '' };
const redirectUrl = `${location.origin}/callback`;

const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'A page', redirect_uris: [redirectUrl], token_endpoint_auth_method: 'none' },
  clientInformation: () => kept.client,
  saveClientInformation(client: OAuthClientInformationMixed) {
    kept.client = client;
  },
  tokens: () => kept.tokens,
  saveTokens(tokens: OAuthTokens) {
    kept.tokens = tokens;
  },
  redirectToAuthorization(url: URL) {
    kept.asked = url.href;
  },
  saveCodeVerifier(verifier: string) {
    kept.verifier = verifier;
  },
  codeVerifier: () => kept.verifier,
};

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
    return kept.asked || outcome;
  },
  async finish(url: string, query: string): Promise<string> {
    const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider });
    await transport.finishAuth(new URLSearchParams(query));
    return connected(url);
  },
});
