/** Hubs in the console: tokens, members, and the accessibility of pages. */
import type { Page } from 'playwright-core';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { ana, browserTest } from './browser-test.ts';
import {
  addBen,
  addConnection,
  allowPrivateUpstreams,
  clickToCopy,
  clipboard,
  copyTokenFromDialog,
  createHub,
  createToken,
  initialize,
  signUpBen,
} from './hub-steps.ts';
import { waitForCondition, waitForMatch, waitForValue } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

async function initializeStatus(url: string, token: string): Promise<number> {
  return (await initialize(url, token)).status;
}

browserTest(
  'a token is created, copied, revealed, rotated with a grace period, and revoked',
  async (t, { owner, url }) => {
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    const choices = page.getByLabel('Expiry').locator('option');
    await waitForValue(t, () => choices.allTextContents(), ['30 days', '90 days', '1 year', 'No expiration']);
    const token = await createToken(page, 'nightly build');
    t.equal(await initializeStatus(url, token), 200);
    const row = page.getByRole('row', { name: /nightly build/ });
    await row.getByText('in 30 days').waitFor();
    await row.getByRole('button', { name: 'Reveal nightly build' }).click();
    t.equal(await copyTokenFromDialog(page), token, 'the same one again');
    await row.getByRole('button', { name: 'Rotate… nightly build' }).click();
    await page.getByLabel('Old token expires').selectOption('after 1 hour');
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const next = await copyTokenFromDialog(page);
    t.not(next, token);
    t.same([await initializeStatus(url, token), await initializeStatus(url, next)], [200, 200], 'both, for a while');
    await row.getByText(/the previous secret expires in/).waitFor();
    await row.getByRole('button', { name: 'Rotate… nightly build' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const last = await copyTokenFromDialog(page);
    t.same(
      [await initializeStatus(url, next), await initializeStatus(url, last)],
      [401, 200],
      'the old one ended at once',
    );
    await page.reload();
    await row.getByText(/from 127\.0\.0\.1/).waitFor();
    await row.getByRole('button', { name: 'Revoke… nightly build' }).click();
    await page.getByLabel('Type nightly build to confirm').fill('nightly build');
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    t.equal(await initializeStatus(url, last), 401);
  },
);

browserTest('revealing long after the sign-in requires the password, then continues', async (t, { owner }) => {
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
  await page.getByLabel('Password', { exact: true }).fill('not the right one');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password', { exact: true }).fill(ana.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('heading', { name: 'Token laptop' }).waitFor();
  t.equal(await copyTokenFromDialog(page), token);
});

browserTest('a person is added, leaves, and the next call with their token is refused', async (t, fixture) => {
  const { owner, url } = fixture;
  const page = await owner();
  const other = await signUpBen(page, fixture);
  await createHub(page, 'acme');
  await other.goto('/hubs/acme/tokens');
  await other.getByRole('heading', { name: 'You are not a member of the hub acme' }).waitFor();
  await addBen(page, 'member');
  await other.goto('/hubs');
  await other.getByRole('link', { name: 'acme' }).click();
  const token = await createToken(other, 'of Ben');
  t.equal(await initializeStatus(url, token), 200);
  await other.getByRole('link', { name: 'Members' }).click();
  await other.getByRole('button', { name: 'Leave…' }).click();
  await other.getByLabel('Type acme to confirm').fill('acme');
  await other.getByRole('button', { name: 'Leave', exact: true }).click();
  await other.getByText('You are not a member of any hub yet').waitFor();
  const refused = await initialize(url, token);
  t.equal(refused.status, 403);
  t.match(await refused.json(), { code: 'membership_required' });
  await other.getByText('not usable: you have left the hub').waitFor();
});

browserTest('a hub is renamed, offers a search for tools, and is removed by typing its slug', async (t, { owner }) => {
  const page = await owner();
  await createHub(page, 'acme');
  await page.getByRole('link', { name: 'Members' }).click();
  await page.getByRole('link', { name: 'General' }).click();
  await page.getByLabel('Name').fill('Acme Tools');
  await page.getByLabel('Slug').fill('acme-tools');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'General Acme Tools' }).waitFor();
  await waitForMatch(t, () => page.url(), /\/hubs\/acme-tools\/general$/);
  await page.getByLabel('Clients list').selectOption('a search for tools');
  await page.getByText('Saved. Connected clients are notified.').waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'General Acme Tools' }).waitFor();
  await waitForValue(t, () => page.getByLabel('Clients list').inputValue(), 'search', 'the choice is stored');
  await page.getByRole('button', { name: 'Remove…' }).click();
  const removal = page.getByRole('dialog');
  await waitForCondition(t, () => removal.getByRole('button', { name: 'Remove' }).isDisabled());
  await removal.getByLabel('Type acme-tools to confirm').fill('acme-tools');
  await removal.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('You are not a member of any hub yet').waitFor();
});

browserTest(
  'instructions for clients cover browser sign-in and tokens, and can be copied',
  async (t, { owner, url }) => {
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    await page.getByRole('link', { name: 'Connect a client' }).first().click();
    await page.getByLabel('Client').selectOption('VS Code');
    const snippet = page.locator('.snippet');
    await waitForMatch(t, () => snippet.locator('pre').textContent(), `"url": "${url}/hub/acme/mcp"`);
    await waitForCondition(t, async () => !/Bearer/.test((await snippet.locator('pre').textContent()) ?? ''));
    await page.getByRole('tab', { name: 'Sign in with a browser' }).press('ArrowRight');
    await waitForMatch(t, () => snippet.locator('pre').textContent(), /Bearer <API_TOKEN>/);
    await waitForMatch(t, () => page.url(), /way=token/);
    await page.getByLabel('Client').selectOption('Claude Code');
    await clickToCopy(snippet, 'Copy');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    t.match(copied, `claude mcp add --transport http acme ${url}/agent/mcp`);
  },
);

const hubPaths = ['tokens', 'connect', 'connect?way=token', 'connections', 'tools', 'try', 'try?tool=weather__forecast']
  .concat(['policy', 'audit', 'members', 'general'])
  .map((part) => `/hubs/acme/${part}`);
const themes = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark, 360 px wide', options: { colorScheme: 'dark', viewport: { width: 360, height: 740 } } },
] as const;

/** Returns overflow and accessibility violations of the page. */
async function findPageProblems(page: Page, path: string): Promise<string[]> {
  const wider = await measureOverflow(page);
  const problems = wider > 0 ? [`${path} is ${wider} px wider than the window`] : [];
  for (const violation of await findSeriousViolations(page)) problems.push(`${path} ${violation}`);
  return problems;
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1, .empty').first().waitFor();
  await page.locator('.skeleton').waitFor({ state: 'detached' });
}

for (const { name, options } of themes) {
  browserTest(
    `${name}: nothing serious on the pages of a hub, and nothing sticks out`,
    async (t, { owner }) => {
      const page = await owner({ ...options, ...clipboard });
      await createHub(page, 'acme');
      const problems: string[] = [];
      for (const path of ['/hubs', '/hubs/nowhere/tokens', ...hubPaths, '/registry']) {
        await open(page, path);
        problems.push(...(await findPageProblems(page, `empty ${path}`)));
      }
      await page.goto('/hubs/acme/tokens');
      await createToken(page, 'a token with a name as long as people like to give them');
      await addConnection(page, (await startWeatherServer(t)).url, 'weather');
      await page.getByRole('button', { name: 'Check now' }).click();
      await page.getByText('2 tools').waitFor();
      problems.push(...(await findPageProblems(page, 'a checked connection')));
      await page.getByRole('button', { name: 'Add connection…' }).click();
      problems.push(...(await findPageProblems(page, 'a new connection')));
      await open(page, '/hubs/acme/try?tool=weather__forecast');
      await page.getByLabel('City').fill('Porto');
      await page.getByRole('button', { name: 'Call weather__forecast' }).click();
      await page.getByText('dry', { exact: true }).waitFor();
      problems.push(...(await findPageProblems(page, 'a call by hand')));
      t.same(problems, []);
    },
    allowPrivateUpstreams,
  );
}
