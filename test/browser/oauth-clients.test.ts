/** Real clients that know only the URL of a hub: they discover the rest, a person allows them, and they call tools. */

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
import { findFreePort } from '../free-port.ts';
import {
  type AcmeHub,
  allowClient,
  allowDevice,
  callApi,
  forecast,
  openAcmeHub,
  prepareAcmeOptions,
} from './acme-hub.ts';
import { ana, browserTest } from './browser-test.ts';
import { startCallbackServer } from './callback-server.ts';

const modules = join(import.meta.dirname, '..', '..', 'node_modules');

type ClientState = {
  client?: OAuthClientInformationMixed;
  tokens?: OAuthTokens | undefined;
  discovery?: OAuthDiscoveryState;
  verifier: string;
  authorizationUrl: URL | undefined;
};

/** The OAuth provider for both versions of the official client. */
function createAuthProvider(redirectUrl: string, name: string) {
  const state: ClientState = { verifier: '', authorizationUrl: undefined };
  return {
    clientState: state,
    redirectUrl,
    clientMetadata: {
      client_name: name,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'kept',
    clientInformation: () => state.client,
    saveClientInformation(client: OAuthClientInformationMixed) {
      state.client = client;
    },
    tokens: () => state.tokens,
    saveTokens(tokens: OAuthTokens) {
      state.tokens = tokens;
    },
    redirectToAuthorization(url: URL) {
      state.authorizationUrl = url;
    },
    saveCodeVerifier(verifier: string) {
      state.verifier = verifier;
    },
    codeVerifier: () => state.verifier,
    discoveryState: () => state.discovery,
    saveDiscoveryState(discovery: OAuthDiscoveryState) {
      state.discovery = discovery;
    },
    invalidateCredentials(scope: string) {
      if (scope === 'all' || scope === 'tokens') state.tokens = undefined;
    },
  };
}

type AuthProvider = ReturnType<typeof createAuthProvider>;
type ConnectedClient = {
  tools(): Promise<string[]>;
  call(name: string): Promise<unknown>;
  close(): Promise<void>;
};
/** A major version of the official client. */
type ClientLine = {
  connect(mcpUrl: string, authProvider: AuthProvider): Promise<ConnectedClient>;
  finish(mcpUrl: string, authProvider: AuthProvider, query: URLSearchParams): Promise<void>;
};

const clientInfo = { name: 'official', version: '1.0.0' };

const currentClient: ClientLine = {
  async connect(mcpUrl, authProvider) {
    const client = new Client(clientInfo, { versionNegotiation: { mode: 'auto' } });
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

const firstClient: ClientLine = {
  async connect(mcpUrl, authProvider) {
    const client = new OldClient(clientInfo);
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

const dryForecast = [{ type: 'text', text: /^dry/ }];

for (const [name, clientLine] of [
  ['Official client', currentClient],
  ['Official client of the first line', firstClient],
] as const) {
  browserTest(
    `${name}: signs in, calls, renews its tokens, and is out when the person ends it`,
    async (t, testServer) => {
      const { page, mcpUrl, resource } = await openAcmeHub(t, testServer);
      const { query: came, redirectUri } = await startCallbackServer(t);
      const authProvider = createAuthProvider(redirectUri, name);
      await t.rejects(clientLine.connect(mcpUrl, authProvider), /Unauthorized/);
      t.equal(authProvider.clientState.authorizationUrl?.searchParams.get('resource'), resource);
      await allowClient(page, authProvider.clientState.authorizationUrl?.href ?? '');
      const query = await came;
      t.equal(query.get('state'), 'kept');
      await clientLine.finish(mcpUrl, authProvider, query);
      const connection = await clientLine.connect(mcpUrl, authProvider);
      t.ok((await connection.tools()).includes(forecast));
      t.match(await connection.call(forecast), dryForecast);
      const first = authProvider.clientState.tokens;
      if (first) authProvider.clientState.tokens = { ...first, access_token: 'x'.repeat(43) };
      t.match(await connection.call(forecast), dryForecast, 'a token that does not hold any more is renewed');
      t.not(authProvider.clientState.tokens?.refresh_token, first?.refresh_token);
      await page.goto('/settings/account');
      await assertAudited(page, name);
      const row = page.getByRole('listitem').filter({ hasText: `${name} for the tools of Acme Engineering` });
      await row.getByText(/, used .* from 127\.0\.0\.1/).waitFor();
      await row.getByRole('button', { name: `Revoke ${name}` }).click();
      await row.waitFor({ state: 'detached' });
      authProvider.clientState.authorizationUrl = undefined;
      await t.rejects(connection.call(forecast));
      t.ok(authProvider.clientState.authorizationUrl, 'it has to ask again');
      await connection.close();
    },
    prepareAcmeOptions,
  );
}

/** The audit names the person and the client. */
async function assertAudited(page: AcmeHub['page'], program: string): Promise<void> {
  const text = JSON.stringify(await callApi(page, 'GET', '/hubs/acme/audit'));
  if (!text.includes(ana.name) || !text.includes(program)) throw new Error(`not in the audit: ${text.slice(0, 2000)}`);
}

/** Starts mcp-remote like desktop clients do, over standard input and output. It prints instructions to standard error. */
async function startMcpRemote(t: Parameters<typeof openAcmeHub>[0], home: string, args: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(modules, 'mcp-remote/dist/proxy.js'), ...args],
    // The test opens the printed URL itself, so the browser command does nothing.
    env: { PATH: process.env.PATH ?? '', HOME: home, BROWSER: '/bin/true' },
    stderr: 'pipe',
  });
  let stderrText = '';
  const waitForOutput = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const match = pattern.exec(stderrText)?.[1];
      if (match !== undefined) return match;
      if (transport.stderr === null) throw new Error('no standard error');
      await once(transport.stderr, 'data');
    }
  };
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderrText += chunk.toString();
  });
  const client = new Client(clientInfo);
  t.teardown(() => client.close());
  const connected = client.connect(transport, { timeout: 60_000 });
  connected.catch(() => t.comment(stderrText));
  return { client, connected, waitForOutput: waitForOutput };
}

browserTest(
  'mcp-remote signs in with a browser, and restarts without it',
  async (t, testServer) => {
    const { page, mcpUrl } = await openAcmeHub(t, testServer);
    const first = await startMcpRemote(t, testServer.stage.folder, [mcpUrl]);
    await allowClient(page, await first.waitForOutput(/authorize this client by visiting:\s+(http\S+)/));
    await first.connected;
    t.ok((await first.client.listTools()).tools.some(({ name }) => name === forecast));
    t.match((await first.client.callTool({ name: forecast, arguments: { city: 'Porto' } })).content, dryForecast);
    await first.client.close();
    const second = await startMcpRemote(t, testServer.stage.folder, [mcpUrl]);
    await second.connected;
    t.ok((await second.client.listTools()).tools.some(({ name }) => name === forecast));
    await second.client.close();
  },
  prepareAcmeOptions,
);

browserTest(
  'mcp-remote without a browser shows a code, which a person enters elsewhere',
  async (t, testServer) => {
    const { page, mcpUrl } = await openAcmeHub(t, testServer);
    const device = await startMcpRemote(t, testServer.stage.folder, [mcpUrl, '--device-code']);
    t.equal(await device.waitForOutput(/visit:\s+(?:\[\d+\]\s+)?(http\S+)/), `${testServer.url}/device`);
    await allowDevice(page, await device.waitForOutput(/enter the code: (\S+)/));
    await device.connected;
    t.match((await device.client.callTool({ name: forecast, arguments: { city: 'Porto' } })).content, dryForecast);
    await device.client.close();
  },
  prepareAcmeOptions,
);

browserTest(
  'the command line of the inspector signs in with a browser',
  async (t, testServer) => {
    const { page, mcpUrl } = await openAcmeHub(t, testServer);
    const callbackUrl = `http://127.0.0.1:${await findFreePort()}/oauth/callback`;
    const inspectorPath = join(modules, '@modelcontextprotocol/inspector/clients/cli/build/index.js');
    const transportArgs = ['--transport', 'http', '--format', 'json', '--callback-url', callbackUrl];
    const running = testServer.stage.start(
      process.execPath,
      [inspectorPath, mcpUrl, ...transportArgs, '--method', 'tools/list'],
      {
        // Without a terminal it starts no authorization unless this is set.
        variables: { BROWSER: '/bin/true', MCP_AUTO_OPEN_ENABLED: 'true' },
      },
    );
    const [, authorizationUrl = ''] = await running.waitForOutput(/(http\S+\/oauth\/authorize\?\S+)/, 'stderr');
    await allowClient(page, authorizationUrl);
    const { code, stdout, stderr } = await running.ended;
    t.equal(code, 0, stderr);
    t.match(stdout, forecast);
  },
  prepareAcmeOptions,
);

browserTest(
  'access to the memory of a hub is granted separately',
  async (t, testServer) => {
    const { page } = await openAcmeHub(t, testServer);
    const { query: came, redirectUri } = await startCallbackServer(t);
    const authProvider = createAuthProvider(redirectUri, 'A program');
    const memoryUrl = `${testServer.url}/memory/hub/acme/mcp`;
    await t.rejects(currentClient.connect(memoryUrl, authProvider), /Unauthorized/);
    await allowClient(
      page,
      authProvider.clientState.authorizationUrl?.href ?? '',
      'requests access to the memory of Acme Engineering',
    );
    await currentClient.finish(memoryUrl, authProvider, await came);
    const connected = await currentClient.connect(memoryUrl, authProvider);
    t.ok((await connected.tools()).length > 0);
    await connected.close();
    await t.rejects(currentClient.connect(`${testServer.url}/hub/acme/mcp`, authProvider), 'and nothing else');
  },
  prepareAcmeOptions,
);
