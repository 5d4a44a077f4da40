/** Real clients that know the address of a hub and nothing else: they find the rest, a person lets them in, they call. */
import { once } from 'node:events';
import { join } from 'node:path';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import t from 'tap';
import { type Acme, acme, acmeOptions, asPage, forecast, letDeviceIn, letIn } from './acme.ts';
import { callback, freePort } from './callback.ts';
import { ana, visit } from './visit.ts';

const modules = join(import.meta.dirname, '..', '..', 'node_modules');

/** What a client keeps between its steps. */
type Kept = {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens | undefined;
  discovery?: OAuthDiscoveryState;
  verifier: string;
  asked: URL | undefined;
};

/** The provider that programs give to the official client, of either line. */
function provider(redirectUrl: string, name: string) {
  const kept: Kept = { verifier: '', asked: undefined };
  return {
    kept,
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'kept',
    clientInformation: () => kept.client,
    saveClientInformation(client: OAuthClientInformationMixed) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens: OAuthTokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      kept.asked = url;
    },
    saveCodeVerifier(verifier: string) {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState(state: OAuthDiscoveryState) {
      kept.discovery = state;
    },
    invalidateCredentials(what: string) {
      if (what === 'all' || what === 'tokens') kept.tokens = undefined;
    },
  };
}

type Provider = ReturnType<typeof provider>;
type Connected = {
  tools(): Promise<string[]>;
  call(name: string): Promise<unknown>;
  close(): Promise<void>;
};
/** One line of the official client. */
type Line = {
  connect(mcpUrl: string, one: Provider): Promise<Connected>;
  finish(mcpUrl: string, one: Provider, query: URLSearchParams): Promise<void>;
};

const about = { name: 'official', version: '1.0.0' };

const newLine: Line = {
  async connect(mcpUrl, authProvider) {
    const client = new Client(about, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider }));
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name) => (await client.callTool({ name, arguments: { city: 'Porto' } })).content,
      close: () => client.close(),
    };
  },
  finish: (mcpUrl, authProvider, query) =>
    new StreamableHTTPClientTransport(new URL(mcpUrl), { authProvider }).finishAuth(query),
};

const oldLine: Line = {
  async connect(mcpUrl, authProvider) {
    const client = new OldClient(about);
    await client.connect(new OldTransport(new URL(mcpUrl), { authProvider }));
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name) => (await client.callTool({ name, arguments: { city: 'Porto' } })).content,
      close: () => client.close(),
    };
  },
  finish: (mcpUrl, authProvider, query) =>
    new OldTransport(new URL(mcpUrl), { authProvider }).finishAuth(query.get('code') ?? ''),
};

const dry = [{ type: 'text', text: /^dry/ }];

for (const [name, line] of [
  ['Official client', newLine],
  ['Official client of the first line', oldLine],
] as const) {
  visit(
    `${name}: signs in, calls, renews its tokens, and is out when the person ends it`,
    async (t, place) => {
      const { page, mcpUrl, resource } = await acme(t, place);
      const { came, redirectUri } = await callback(t);
      const one = provider(redirectUri, name);
      await t.rejects(line.connect(mcpUrl, one), /Unauthorized/);
      t.equal(one.kept.asked?.searchParams.get('resource'), resource);
      await letIn(page, one.kept.asked?.href ?? '');
      const query = await came;
      t.equal(query.get('state'), 'kept');
      await line.finish(mcpUrl, one, query);
      const connected = await line.connect(mcpUrl, one);
      t.ok((await connected.tools()).includes(forecast));
      t.match(await connected.call(forecast), dry);
      const first = one.kept.tokens;
      if (first) one.kept.tokens = { ...first, access_token: 'x'.repeat(43) };
      t.match(await connected.call(forecast), dry, 'a token that does not hold any more is renewed');
      t.not(one.kept.tokens?.refresh_token, first?.refresh_token);
      await page.goto('/settings/account');
      await told(page, name);
      const row = page.getByRole('listitem').filter({ hasText: `${name} for the tools of Acme Engineering` });
      await row.getByText(/, used .* from 127\.0\.0\.1/).waitFor();
      await row.getByRole('button', { name: `End ${name}` }).click();
      await row.waitFor({ state: 'detached' });
      one.kept.asked = undefined;
      await t.rejects(connected.call(forecast));
      t.ok(one.kept.asked, 'it has to ask again');
      await connected.close();
    },
    acmeOptions,
  );
}

/** The calls stand in the audit under the person and the program. */
async function told(page: Acme['page'], program: string): Promise<void> {
  const text = JSON.stringify(await asPage(page, 'GET', '/hubs/acme/audit'));
  if (!text.includes(ana.name) || !text.includes(program)) throw new Error(`not in the audit: ${text.slice(0, 2000)}`);
}

/** mcp-remote as desktop clients start it: over standard input and output, its words to people on standard error. */
async function remote(t: Parameters<typeof acme>[0], home: string, args: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(modules, 'mcp-remote/dist/proxy.js'), ...args],
    // What would open a browser does nothing: the test opens the address that is printed.
    env: { PATH: process.env.PATH ?? '', HOME: home, BROWSER: '/bin/true' },
    stderr: 'pipe',
  });
  let words = '';
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = pattern.exec(words)?.[1];
      if (found !== undefined) return found;
      if (transport.stderr === null) throw new Error('no standard error');
      await once(transport.stderr, 'data');
    }
  };
  transport.stderr?.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  const client = new Client(about);
  t.teardown(() => client.close());
  const connected = client.connect(transport, { timeout: 60_000 });
  connected.catch(() => t.comment(words));
  return { client, connected, said };
}

visit(
  'mcp-remote signs in by the browser, and starts again without it',
  async (t, place) => {
    const { page, mcpUrl } = await acme(t, place);
    const first = await remote(t, place.stage.folder, [mcpUrl]);
    await letIn(page, await first.said(/authorize this client by visiting:\s+(http\S+)/));
    await first.connected;
    t.ok((await first.client.listTools()).tools.some(({ name }) => name === forecast));
    t.match((await first.client.callTool({ name: forecast, arguments: { city: 'Porto' } })).content, dry);
    await first.client.close();
    const second = await remote(t, place.stage.folder, [mcpUrl]);
    await second.connected;
    t.ok((await second.client.listTools()).tools.some(({ name }) => name === forecast));
    await second.client.close();
  },
  acmeOptions,
);

visit(
  'mcp-remote on a machine without a browser shows a code, which a person types elsewhere',
  async (t, place) => {
    const { page, mcpUrl } = await acme(t, place);
    const device = await remote(t, place.stage.folder, [mcpUrl, '--device-code']);
    t.equal(await device.said(/visit:\s+(?:\[\d+\]\s+)?(http\S+)/), `${place.url}/device`);
    await letDeviceIn(page, await device.said(/enter the code: (\S+)/));
    await device.connected;
    t.match((await device.client.callTool({ name: forecast, arguments: { city: 'Porto' } })).content, dry);
    await device.client.close();
  },
  acmeOptions,
);

visit(
  'the command line of the inspector signs in by the browser',
  async (t, place) => {
    const { page, mcpUrl } = await acme(t, place);
    const back = `http://127.0.0.1:${await freePort()}/oauth/callback`;
    const program = join(modules, '@modelcontextprotocol/inspector/clients/cli/build/index.js');
    const how = ['--transport', 'http', '--format', 'json', '--callback-url', back];
    const running = place.stage.start(process.execPath, [program, mcpUrl, ...how, '--method', 'tools/list'], {
      // Without a terminal it asks for nothing unless told to.
      variables: { BROWSER: '/bin/true', MCP_AUTO_OPEN_ENABLED: 'true' },
    });
    const [, asked = ''] = await running.said(/(http\S+\/oauth\/authorize\?\S+)/, 'stderr');
    await letIn(page, asked);
    const { code, stdout, stderr } = await running.ended;
    t.equal(code, 0, stderr);
    t.match(stdout, forecast);
  },
  acmeOptions,
);

visit(
  'the memory of a hub is let into by itself',
  async (t, place) => {
    const { page } = await acme(t, place);
    const { came, redirectUri } = await callback(t);
    const one = provider(redirectUri, 'A program');
    const memoryUrl = `${place.url}/memory/hub/acme/mcp`;
    await t.rejects(newLine.connect(memoryUrl, one), /Unauthorized/);
    await letIn(page, one.kept.asked?.href ?? '', 'asks for the memory of Acme Engineering');
    await newLine.finish(memoryUrl, one, await came);
    const connected = await newLine.connect(memoryUrl, one);
    t.ok((await connected.tools()).length > 0);
    await connected.close();
    await t.rejects(newLine.connect(`${place.url}/hub/acme/mcp`, one), 'and nothing else');
  },
  acmeOptions,
);

t.setTimeout(300_000);
