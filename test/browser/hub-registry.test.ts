/** The registry in the console: found, looked at, and added to a hub. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type NameServer, nameServer } from '../registry/name-server.ts';
import { publisher } from '../registry/publisher.ts';
import { makeRoot, type Root } from '../targets/certificates.ts';
import { clipboard, createHub } from './hub-visit.ts';
import { seriousOf, widerThanWindow } from './sound.ts';
import { toolServer } from './tool-server.ts';
import { type More, type Visit, visit } from './visit.ts';

const domain = 'weather.example';
const name = 'example.weather/forecasts';

/** A document with two ways in: one without anything, one that asks for a host and a key. */
function document(version: string, url: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
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

/** Proves the domain by a real name server and publishes, as any publisher does. */
async function publish(url: string, proof: object, documents: readonly object[]): Promise<void> {
  const post = async (path: string, body: object, token?: string): Promise<Record<string, unknown>> => {
    const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const headers = { 'content-type': 'application/json', ...authorization };
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
  const { registry_token: token } = await post('/v0/auth/dns', proof);
  for (const one of documents) await post('/v0/publish', one, String(token));
}

/** What the registry of a test asks, and whom its hubs trust. */
type World = { readonly names: NameServer; readonly root: Root };
let world: World | undefined;
const withRegistry = async (t: Test): Promise<More> => {
  const folder = join(t.testdirName, 'trust');
  mkdirSync(folder, { recursive: true });
  world = { names: await nameServer(t), root: makeRoot(folder) };
  const flags = ['--registry-domain', domain, '--registry-resolver', world.names.address];
  return { args: ['--allow-private-upstreams', ...flags], variables: { NODE_EXTRA_CA_CERTS: world.root.file } };
};
const proof = (): object => publisher(domain, world?.names).proof(Date.now());

visit(
  'what is published is found, looked at, and added to a hub with what it asks for',
  async (t, { owner, url }: Visit) => {
    const upstream = await toolServer(t, world?.root.leaf('localhost'));
    const template = upstream.url.replace('localhost', '{host}');
    const page = await owner(clipboard);
    await page.goto('/registry');
    await page.getByRole('heading', { name: 'Nothing is published yet' }).waitFor();
    await publish(url, proof(), [document('1.0.0', template), document('1.1.0', template)]);
    await page.goto('/registry');
    await page.getByRole('link', { name: 'Forecasts' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('nothing like it');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No server is called like that' }).waitFor();
    await page.getByLabel('Search by name').fill('weather');
    await page.getByRole('button', { name: 'Search' }).click();
    t.match(page.url(), /search=weather/);
    await page.getByRole('link', { name: 'Forecasts' }).click();
    await page.getByRole('heading', { name: 'Forecasts' }).waitFor();
    t.equal(await page.getByLabel('Version').inputValue(), '1.1.0');
    await page.getByLabel('Version').selectOption('1.0.0');
    t.match(page.url(), /version=1\.0\.0/);
    const remote = page.getByRole('region', { name: template });
    await remote.getByRole('button', { name: 'Copy' }).first().click();
    t.equal(await page.evaluate(() => navigator.clipboard.readText()), template);
    await page.getByText('Owners of a hub add it to their hub.').waitFor();
    await createHub(page, 'acme');
    await page.goto(`/registry?server=${encodeURIComponent(name)}`);
    await page.getByRole('button', { name: 'Add to a hub…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Way in').selectOption({ index: 1 });
    await dialog.getByLabel('host').fill('localhost');
    await dialog.getByLabel('X-Key').fill('of Ana');
    await dialog.getByRole('button', { name: 'Go on' }).click();
    t.equal(await dialog.getByLabel('URL', { exact: true }).inputValue(), upstream.url);
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByText('weather 1.0.0').waitFor();
    t.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'forecasts');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const card = page.getByRole('region', { name: 'forecasts' });
    await card.getByText('the header X-Key').waitFor();
    t.match(page.url(), /\/hubs\/acme\/connections$/);
  },
  withRegistry,
);

for (const [look, options] of [
  ['light', { colorScheme: 'light' }],
  ['dark, 360 px wide', { colorScheme: 'dark', viewport: { width: 360, height: 740 } }],
] as const)
  visit(
    `${look}: nothing serious in the registry, and nothing sticks out`,
    async (t, { owner, url }) => {
      const page = await owner(options);
      const longUrl = `https://{host}.weather.example/${'a-very-long-path/'.repeat(8)}mcp`;
      await publish(url, proof(), [document('1.0.0', longUrl)]);
      await createHub(page, 'acme');
      const found: string[] = [];
      for (const path of ['/registry', `/registry?server=${encodeURIComponent(name)}`, '/registry?server=no/such']) {
        await page.goto(path);
        await page.locator('.skeleton').waitFor({ state: 'detached' });
        await page.locator('h1, .problem').first().waitFor();
        if ((await widerThanWindow(page)) > 0) found.push(`${path} is wider than the window`);
        for (const what of await seriousOf(page)) found.push(`${path} ${what}`);
      }
      t.same(found, []);
    },
    withRegistry,
  );

t.setTimeout(240_000);
