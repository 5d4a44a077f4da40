/** Hubs in the console: their tokens, who belongs to them, and how their pages look. */
import type { Page } from 'playwright-core';
import t from 'tap';
import {
  addBen,
  addConnection,
  begin,
  ben,
  clipboard,
  createHub,
  createToken,
  privately,
  takeToken,
} from './hub-visit.ts';
import { seriousOf, widerThanWindow } from './sound.ts';
import { toolServer } from './tool-server.ts';
import { ana, visit } from './visit.ts';

async function statusOf(url: string, token: string): Promise<number> {
  return (await begin(url, token)).status;
}

visit('a token is created, copied, revealed, rotated with a grace, and revoked', async (t, { owner, url }) => {
  const page = await owner(clipboard);
  await createHub(page, 'acme');
  const choices = page.getByLabel('Expiry').locator('option');
  t.same(await choices.allTextContents(), ['30 days', '90 days', '1 year', 'No expiration']);
  const token = await createToken(page, 'nightly build');
  t.equal(await statusOf(url, token), 200);
  const row = page.getByRole('row', { name: /nightly build/ });
  await row.getByText('in 30 days').waitFor();
  await row.getByRole('button', { name: 'Reveal nightly build' }).click();
  t.equal(await takeToken(page), token, 'the same one again');
  await row.getByRole('button', { name: 'Rotate… nightly build' }).click();
  await page.getByLabel('The old token ends').selectOption('after 1 hour');
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const next = await takeToken(page);
  t.not(next, token);
  t.same([await statusOf(url, token), await statusOf(url, next)], [200, 200], 'both, for a while');
  await row.getByText(/the secret before ends in/).waitFor();
  await row.getByRole('button', { name: 'Rotate… nightly build' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
  const last = await takeToken(page);
  t.same([await statusOf(url, next), await statusOf(url, last)], [401, 200], 'the old one ended at once');
  await page.reload();
  await row.getByText(/from 127\.0\.0\.1/).waitFor();
  await row.getByRole('button', { name: 'Revoke… nightly build' }).click();
  await page.getByLabel('Type nightly build to go on').fill('nightly build');
  await page.getByRole('button', { name: 'Revoke', exact: true }).click();
  await page.getByRole('heading', { name: 'No token yet' }).waitFor();
  t.equal(await statusOf(url, last), 401);
});

visit('revealing long after the sign-in asks for the password first, and goes on by itself', async (t, { owner }) => {
  const page = await owner(clipboard);
  await createHub(page, 'acme');
  const token = await createToken(page, 'laptop', 'No expiration');
  const problem = {
    code: 'SIGN_IN_NOT_RECENT',
    detail: 'this is allowed only within 10 minutes',
    cure: 'sign in again',
  };
  await page.route(
    '**/reveal',
    (route) => route.fulfill({ status: 403, contentType: 'application/problem+json', body: JSON.stringify(problem) }),
    { times: 1 },
  );
  await page.getByRole('button', { name: 'Reveal laptop' }).click();
  await page.getByText('this is allowed only within 10 minutes').waitFor();
  await page.getByLabel('Password').fill('not the right one');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Token laptop' }).waitFor();
  t.equal(await takeToken(page), token);
});

visit('somebody is added, leaves, and the next call of their token is refused', async (t, visit) => {
  const { owner, url } = visit;
  const page = await owner();
  const other = await ben(page, visit);
  await createHub(page, 'acme');
  await other.goto('/hubs/acme/tokens');
  await other.getByRole('heading', { name: 'You belong to no hub acme' }).waitFor();
  await addBen(page, 'member');
  await other.goto('/hubs');
  await other.getByRole('link', { name: 'acme' }).click();
  const token = await createToken(other, 'of Ben');
  t.equal(await statusOf(url, token), 200);
  await other.getByRole('link', { name: 'Members' }).click();
  await other.getByRole('button', { name: 'Leave…' }).click();
  await other.getByLabel('Type acme to go on').fill('acme');
  await other.getByRole('button', { name: 'Leave', exact: true }).click();
  await other.getByText('You belong to no hub yet').waitFor();
  const refused = await begin(url, token);
  t.equal(refused.status, 403);
  t.match(await refused.json(), { code: 'membership_required' });
  await other.getByText('opens nothing: you have left the hub').waitFor();
});

visit('a hub is renamed, and removed by typing its slug', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  await page.getByRole('link', { name: 'General' }).click();
  await page.getByLabel('Name').fill('Acme Tools');
  await page.getByLabel('Slug').fill('acme-tools');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'General Acme Tools' }).waitFor();
  t.match(page.url(), /\/hubs\/acme-tools\/general$/);
  await page.getByRole('button', { name: 'Remove…' }).click();
  const removal = page.getByRole('dialog');
  t.ok(await removal.getByRole('button', { name: 'Remove it' }).isDisabled());
  await removal.getByLabel('Type acme-tools to go on').fill('acme-tools');
  await removal.getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('You belong to no hub yet').waitFor();
});

visit('clients are set up by browser and by token, with texts to copy', async (t, { owner, url }) => {
  const page = await owner(clipboard);
  await createHub(page, 'acme');
  await page.getByRole('link', { name: 'Connect a client' }).first().click();
  await page.getByLabel('Client').selectOption('VS Code');
  const snippet = page.locator('.snippet');
  t.match(await snippet.locator('pre').textContent(), `"url": "${url}/hub/acme/mcp"`);
  t.notMatch(await snippet.locator('pre').textContent(), /Bearer/);
  await page.getByRole('tab', { name: 'Sign in by browser' }).press('ArrowRight');
  t.match(await snippet.locator('pre').textContent(), /Bearer <API_TOKEN>/);
  t.match(page.url(), /way=token/);
  await page.getByLabel('Client').selectOption('Claude Code');
  await snippet.getByRole('button', { name: 'Copy' }).click();
  await snippet.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  t.match(copied, `claude mcp add --transport http acme ${url}/agent/mcp`);
});

const parts = ['tokens', 'connect', 'connect?way=token', 'connections', 'tools', 'try', 'try?tool=weather__forecast']
  .concat(['policy', 'audit', 'members', 'general'])
  .map((part) => `/hubs/acme/${part}`);
const looks = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

/** What is wrong with the page as it stands. */
async function wrongWith(page: Page, place: string): Promise<string[]> {
  const wider = await widerThanWindow(page);
  const found = wider > 0 ? [`${place} is ${wider} px wider than the window`] : [];
  for (const what of await seriousOf(page)) found.push(`${place} ${what}`);
  return found;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1, .empty').first().waitFor();
  await page.locator('.skeleton').waitFor({ state: 'detached' });
}

for (const { name, options } of looks) {
  visit(
    `${name}: nothing serious on the pages of a hub, and nothing sticks out`,
    async (t, { owner }) => {
      const page = await owner({ ...options, ...clipboard });
      await createHub(page, 'acme');
      const found: string[] = [];
      for (const path of ['/hubs', '/hubs/nowhere/tokens', ...parts, '/registry']) {
        await open(page, path);
        found.push(...(await wrongWith(page, `empty ${path}`)));
      }
      await page.goto('/hubs/acme/tokens');
      await createToken(page, 'a token with a name as long as people like to give them');
      await addConnection(page, (await toolServer(t)).url, 'weather');
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('2 tools').waitFor();
      found.push(...(await wrongWith(page, 'a checked connection')));
      await page.getByRole('button', { name: 'Add connection…' }).click();
      found.push(...(await wrongWith(page, 'a new connection')));
      await open(page, '/hubs/acme/try?tool=weather__forecast');
      await page.getByLabel('City').fill('Porto');
      await page.getByRole('button', { name: 'Call weather__forecast' }).click();
      await page.getByText('dry', { exact: true }).waitFor();
      found.push(...(await wrongWith(page, 'a call by hand')));
      for (const path of parts) {
        await open(page, path);
        found.push(...(await wrongWith(page, path)));
      }
      t.same(found, []);
    },
    privately,
  );
}

t.setTimeout(240_000);
