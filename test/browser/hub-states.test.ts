/** Pages of a hub during failures, without a network, and with keyboard navigation. */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { startGuardedServer } from '../hub/fixtures/guarded-server.ts';
import { browserTest } from './browser-test.ts';
import {
  addBen,
  addConnection,
  allowPrivateUpstreams,
  callHub,
  clipboard,
  createHub,
  createToken,
  signUpBen,
} from './hub-steps.ts';
import { waitForCondition, waitForCount, waitForMatch, waitForText } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

const diskFullBody = JSON.stringify({ code: 'STORE_DISK_FULL', detail: 'the disk is full', cure: 'make room on it' });

/** The path of each page, and the request it depends on. */
const pageRequests = [
  ['/hubs/acme/tokens', '**/api/v1/hubs/acme/tokens'],
  ['/hubs/acme/connections', '**/api/v1/hubs/acme/connections'],
  ['/hubs/acme/tools', '**/api/v1/hubs/acme/tools'],
  ['/hubs/acme/try', '**/api/v1/hubs/acme/tools/offered'],
  ['/hubs/acme/policy', '**/api/v1/hubs/acme/policy'],
  ['/hubs/acme/audit', '**/api/v1/hubs/acme/audit'],
  ['/hubs/acme/approvals', '**/api/v1/hubs/acme/approvals*'],
  ['/hubs/acme/usage', '**/api/v1/hubs/acme/usage*'],
  ['/hubs/acme/members', '**/api/v1/hubs/acme/members'],
  ['/registry', '**/v0/servers*'],
] as const;

/** They ask again every few seconds, and recover without the button. */
const polledPages: ReadonlySet<string> = new Set(['/hubs/acme/approvals']);

browserTest(
  'a page whose request fails shows the reason and the fix, and recovers afterwards',
  async (t, { owner }) => {
    const page = await owner();
    await createHub(page, 'acme');
    const context = page.context();
    await Promise.all(
      pageRequests.map(async ([path, call]) => failThenRecover(t, await context.newPage(), path, call)),
    );
  },
);

async function failThenRecover(t: Test, page: Page, path: string, call: string): Promise<void> {
  let calls = 0;
  await page.route(call, (route) => {
    calls += 1;
    return route.fulfill({ status: 503, contentType: 'application/problem+json', body: diskFullBody });
  });
  await page.goto(path);
  const problem = page.getByRole('alert').first();
  await problem.getByText('The disk is full.').waitFor();
  await waitForMatch(t, () => problem.textContent(), /Make room on it.*STORE_DISK_FULL/, path);
  t.ok(calls > 1, `${path} tried again by itself`);
  const tryAgain = problem.getByRole('button', { name: 'Try again' });
  await tryAgain.waitFor();
  await page.unrouteAll();
  if (!polledPages.has(path)) await tryAgain.click();
  await problem.waitFor({ state: 'detached' });
}

browserTest(
  'without a network the page keeps its content, says so, and resumes afterwards',
  async (t, { owner, url }) => {
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    await addConnection(page, (await startWeatherServer(t)).url, 'weather');
    const call = (city: string) =>
      callHub(url, token, 'tools/call', { name: 'weather__forecast', arguments: { city } });
    await page.goto('/hubs/acme/audit');
    await page.getByText('Following: new calls appear at the top.').waitFor();
    await call('Porto');
    const rows = page.getByRole('row', { name: /weather__forecast/ });
    await rows.first().waitFor();
    await page.context().setOffline(true);
    await page.evaluate(() => dispatchEvent(new Event('offline')));
    await blockAuditRequests(page);
    await waitForCount(t, rows, 1, 'what was there stays');
    await call('Faro');
    await page.context().setOffline(false);
    await page.unrouteAll();
    await page.getByText('Following: new calls appear at the top.').waitFor();
    await rows.nth(1).waitFor();
    await waitForCount(t, rows, 2, 'what happened meanwhile is there');
  },
  allowPrivateUpstreams,
);

/** An open stream survives `setOffline`, so it is reopened while requests are blocked. */
async function blockAuditRequests(page: Page): Promise<void> {
  await page.route('**/audit/**', (route) => route.abort());
  await page.getByRole('checkbox', { name: 'Live' }).uncheck();
  await page.getByRole('checkbox', { name: 'Live' }).check();
  await page.getByText('Not connected. Retrying…').waitFor();
}

browserTest(
  'everything is reachable by keyboard: search, rows, tabs, dialogs that restore the focus',
  async (t, { owner }) => {
    const page = await owner();
    await createHub(page, 'acme');
    await addConnection(page, (await startWeatherServer(t)).url, 'weather');
    await page.goto('/hubs/acme/try');
    await page.getByRole('button', { name: /weather__forecast/ }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'weather__forecast' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('wipe');
    await page.locator('.tool-choice li').nth(1).waitFor({ state: 'detached' });
    await page.getByLabel('City').press('Control+A');
    await page.keyboard.type('Porto');
    await page.keyboard.press('Enter');
    await page.getByText('dry', { exact: true }).waitFor();
    await page.goto('/hubs/acme/connections');
    await assertDialogRestoresFocus(t, page, 'Add connection…', 'Escape');
    await assertDialogRestoresFocus(t, page, 'Edit…', 'Cancel');
    await assertDialogRestoresFocus(t, page, 'Remove…', 'Cancel');
  },
  allowPrivateUpstreams,
);

/** `closer` is Escape or the name of a button. */
async function assertDialogRestoresFocus(t: Test, page: Page, opener: string, closer: string): Promise<void> {
  const button = page.getByRole('button', { name: opener });
  await button.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  if (closer === 'Escape') await page.keyboard.press('Escape');
  else {
    await page.getByRole('dialog').getByRole('button', { name: closer }).focus();
    await page.keyboard.press('Enter');
  }
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await waitForCondition(
    t,
    () => button.evaluate((element) => element === document.activeElement),
    `${opener} has the focus again`,
  );
}

browserTest(
  'each person signs in at a server separately, and sees only their own sign-in',
  async (t, fixture) => {
    const page = await fixture.owner();
    const upstream = await startGuardedServer(t);
    const other = await signUpBen(page, fixture);
    await createHub(page, 'acme');
    await addBen(page, 'member');
    await page.goto('/hubs/acme/connections');
    await page.getByRole('button', { name: 'Add connection…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL', { exact: true }).fill(upstream.mcp.url);
    await dialog.getByLabel('Credential').selectOption('oauth');
    await dialog.getByLabel('Sign-in').selectOption('one per person');
    await dialog.getByRole('button', { name: 'See what it offers' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('guarded');
    await dialog.getByRole('button', { name: 'Add and sign in' }).click();
    await page.getByText(/^Signed in at guarded\./).waitFor();
    await page.getByRole('region', { name: 'guarded' }).getByText('You are signed in.').waitFor();
    await waitForText(t, page.getByRole('region', { name: 'guarded' }).locator('header'), /not tried yet$/);
    await other.goto('/hubs/acme/connections');
    const card = other.getByRole('region', { name: 'guarded' });
    await card.getByText('You are not signed in at guarded.').waitFor();
    await card.getByRole('button', { name: 'Sign in at guarded' }).click();
    await other.getByText(/^Signed in at guarded\./).waitFor();
    await other.goto('/hubs/acme/try');
    await other
      .getByRole('button', { name: /guarded__/ })
      .first()
      .waitFor();
    const ownCard = page.getByRole('region', { name: 'guarded' });
    await ownCard.getByRole('button', { name: 'Check now' }).click();
    await ownCard.getByText(/: 7 tools/).waitFor();
    await ownCard.getByRole('button', { name: 'Forget the sign-in' }).click();
    await ownCard.getByText('You are not signed in at guarded.').waitFor();
    await waitForCount(t, ownCard.getByText(/: 7 tools/), 0, 'what it offered to the sign-in that is gone');
    upstream.isUnavailable = true;
    await ownCard.getByRole('button', { name: 'Sign in at guarded' }).click();
    await ownCard.getByText(/^The authorization server of guarded cannot sign anyone in now: /).waitFor();
    await ownCard.getByText(/^Check that it runs, then start the sign-in again\./).waitFor();
    upstream.isUnavailable = false;
    await other.goto('/hubs/acme/connections');
    await card.getByText('You are signed in.').waitFor();
  },
  allowPrivateUpstreams,
);
