/** The registry in the console: servers are found, viewed and added to a hub. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { startNameServer, type TestNameServer } from '../registry/name-server.ts';
import { createTestPublisher } from '../registry/test-publisher.ts';
import { createRootCertificate, type RootCertificate } from '../targets/certificates.ts';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { saveScreenshot } from './appearances.ts';
import { type BrowserTest, browserTest, type ServeOptions } from './browser-test.ts';
import { clipboard, createHub } from './hub-steps.ts';
import { waitForMatch, waitForValue } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

const publisherDomain = 'weather.example';
const serverName = 'example.weather/forecasts';

/** Two endpoints: one without inputs, one that requires a host and a key. */
function serverDocument(version: string, url: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: serverName,
    title: 'Forecasts',
    description: 'Tells the weather of a city.',
    version,
    remotes: [
      { type: 'streamable-http', url: 'https://weather.example/mcp' },
      {
        type: 'streamable-http',
        url,
        variables: { host: { description: 'Where your forecasts run', isRequired: true } },
        headers: [{ name: 'X-Key', description: 'Your key', isRequired: true, isSecret: true }],
      },
    ],
  };
}

/** Proves the domain with a real name server and publishes like any publisher. */
async function publishServers(url: string, proof: object, documents: readonly object[]): Promise<void> {
  const post = async (path: string, body: object, token?: string): Promise<Record<string, unknown>> => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  const { registry_token: token } = await post('/v0/auth/dns', proof);
  for (const serverDocument of documents) await post('/v0/publish', serverDocument, String(token));
}

/** The name server that the registry queries, and the certificate authority that the hubs trust. */
type RegistryFixture = { readonly nameServer: TestNameServer; readonly root: RootCertificate };
let fixture: RegistryFixture | undefined;
const startWithRegistry = async (t: Test): Promise<ServeOptions> => {
  const folder = join(t.testdirName, 'trust');
  mkdirSync(folder, { recursive: true });
  fixture = { nameServer: await startNameServer(t), root: createRootCertificate(folder) };
  const flags = ['--registry-domain', publisherDomain, '--registry-resolver', fixture.nameServer.address];
  return { args: ['--allow-private-upstreams', ...flags], variables: { NODE_EXTRA_CA_CERTS: fixture.root.file } };
};
const createProof = (): object => createTestPublisher(publisherDomain, fixture?.nameServer).proof(Date.now());

browserTest(
  'a published server is found, viewed, and added to a hub with the inputs it requires',
  async (t, { owner, url }: BrowserTest) => {
    const upstream = await startWeatherServer(t, fixture?.root.leaf('localhost'));
    const template = upstream.url.replace('localhost', '{host}');
    const page = await owner(clipboard);
    await page.goto('/registry');
    await page.getByRole('heading', { name: 'No servers published yet' }).waitFor();
    await publishServers(url, createProof(), [serverDocument('1.0.0', template), serverDocument('1.1.0', template)]);
    await page.goto('/registry');
    await page.getByRole('link', { name: 'Forecasts' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing like it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No matching servers' }).waitFor();
    await page.getByLabel('Search by name').fill('weather');
    await page.getByRole('button', { name: 'Search' }).click();
    await waitForMatch(t, () => page.url(), /search=weather/);
    await page.getByRole('link', { name: 'Forecasts' }).click();
    await page.getByRole('heading', { name: 'Forecasts' }).waitFor();
    await waitForValue(t, () => page.getByLabel('Version').inputValue(), '1.1.0');
    await page.getByLabel('Version').selectOption('1.0.0');
    await waitForMatch(t, () => page.url(), /version=1\.0\.0/);
    const remote = page.getByRole('region', { name: template });
    await remote.getByRole('button', { name: 'Copy' }).first().click();
    await waitForValue(t, () => page.evaluate(() => navigator.clipboard.readText()), template);
    await page.getByText('Only owners of a hub can add it.').waitFor();
    await createHub(page, 'acme');
    await page.goto(`/registry?server=${encodeURIComponent(serverName)}`);
    await page.getByRole('button', { name: 'Add to a hub…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Endpoint').selectOption({ index: 1 });
    await dialog.getByLabel('host').fill('localhost');
    await dialog.getByLabel('X-Key').fill('of Ana');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await waitForValue(t, () => dialog.getByLabel('URL', { exact: true }).inputValue(), upstream.url);
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByText('weather 1.0.0').waitFor();
    await waitForValue(t, () => dialog.getByLabel('Name', { exact: true }).inputValue(), 'forecasts');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('region', { name: 'forecasts' });
    await card.getByText('header X-Key').waitFor();
    await waitForMatch(t, () => page.url(), /\/hubs\/acme\/connections$/);
  },
  startWithRegistry,
);

for (const [theme, options] of [
  ['light', { colorScheme: 'light' }],
  ['dark, 360 px wide', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
] as const)
  browserTest(
    `${theme}: nothing serious in the registry, and nothing sticks out`,
    async (t, { owner, url }) => {
      const page = await owner(options);
      const longUrl = `https://{host}.weather.example/${'a-very-long-path/'.repeat(8)}mcp`;
      await publishServers(url, createProof(), [serverDocument('1.0.0', longUrl)]);
      await createHub(page, 'acme');
      const problems: string[] = [];
      for (const path of [
        '/registry',
        `/registry?server=${encodeURIComponent(serverName)}`,
        '/registry?server=no/such',
      ]) {
        await page.goto(path);
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        await page.locator('h1, .problem').first().waitFor();
        await saveScreenshot(page, `${path} ${theme}`);
        if ((await measureOverflow(page)) > 0) problems.push(`${path} is wider than the window`);
        for (const violation of await findSeriousViolations(page)) problems.push(`${path} ${violation}`);
      }
      t.same(problems, []);
    },
    startWithRegistry,
  );
