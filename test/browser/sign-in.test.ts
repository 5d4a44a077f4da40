import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ana, browserTest, instance } from './browser-test.ts';
import { waitForCondition, waitForCount, waitForMatch, waitForValue } from './wait-for.ts';

browserTest('the setup link creates the first owner, once', async (t, { owner, openPage }) => {
  const page = await owner();
  await page.getByRole('heading', { name: instance }).waitFor();
  await waitForCondition(
    t,
    async () => !(await page.evaluate(() => location.hash)).length,
    'the secret has left the address',
  );
  const late = await openPage();
  await late.goto('/setup#abcdefghijklmnopqrstuvwxyz');
  await late.getByRole('heading', { name: 'Already set up' }).waitFor();
});

browserTest(
  'the secret of a link stays in the address bar until the page has stored it',
  async (t, { data, openPage }) => {
    const page = await openPage();
    // React may discard a render and restart it, which must still find the secret, so the form must appear first.
    await page.addInitScript(() => {
      const replace = history.replaceState.bind(history);
      history.replaceState = (...args) => {
        const had = location.hash !== '';
        replace(...args);
        const isHidden = had && location.hash === '';
        if (isHidden) document.documentElement.dataset.formWasThere = String(document.querySelector('form') !== null);
      };
    });
    await page.goto('/setup#abcdefghijklmnopqrstuvwxyz');
    await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
    await page.goto('about:blank');
    await page.goto(readFileSync(join(data, 'setup-link.txt'), 'utf8').trim());
    await page.getByLabel('Your name').waitFor();
    await waitForCondition(
      t,
      () => page.getByLabel('Your name').evaluate((field) => field === document.activeElement),
      'it has the focus',
    );
    await page.waitForFunction(() => location.hash === '');
    await waitForValue(t, () => page.evaluate(() => document.documentElement.dataset.formWasThere), 'true');
  },
);

browserTest(
  'signing in returns to the requested page, signing out ends the session, a wrong password is reported',
  async (t, { owner }) => {
    const page = await owner();
    await page.getByLabel('Account: Ana Lopes').click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await waitForValue(t, () => page.evaluate(() => localStorage.getItem('vp.proof')), null);
    await page.goto('/settings/people');
    await page.getByLabel('Email').fill(ana.email);
    await page.getByLabel('Password').fill('not her password at all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(ana.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('cell', { name: ana.email }).waitFor();
    await waitForMatch(t, () => page.url(), /\/settings\/people$/);
  },
);

browserTest('a session revoked elsewhere requires a new sign-in', async (t, { owner, openPage }) => {
  const page = await owner();
  const other = await openPage();
  await other.goto('/settings/account');
  await other.getByLabel('Email').fill(ana.email);
  await other.getByLabel('Password').fill(ana.password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('button', { name: 'Revoke' }).first().click();
  await other.getByRole('button', { name: 'Revoke' }).first().waitFor({ state: 'detached' });
  // The event stream may report the revocation before the click.
  const signIn = page.getByRole('heading', { name: 'Sign in' });
  await page.getByRole('link', { name: 'Settings' }).or(signIn).first().click();
  await signIn.waitFor();
  t.pass('the page of the ended session asks to sign in');
});

browserTest('a cookie without the proof that the page stores is not accepted', async (t, { owner }) => {
  const page = await owner();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  t.pass('the page asks to sign in');
});

browserTest('an invited viewer can see everything and change nothing', async (t, { owner, openPage }) => {
  const page = await owner();
  await page.goto('/settings/people');
  await page.getByLabel('Role', { exact: true }).selectOption('viewer');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('dialog').locator('code').innerText();
  await page.getByLabel('I have copied it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  const guest = await openPage();
  await guest.goto(link);
  await guest.getByText('Ana Lopes invites you as viewer').waitFor();
  await guest.getByLabel('Your name').fill('Vic');
  await guest.getByLabel('Email').fill('vic@example.com');
  await guest.getByLabel('Password').fill('a quiet lake of stones');
  await guest.getByRole('button', { name: 'Create account' }).click();
  await guest.getByRole('heading', { name: 'Overview' }).waitFor();
  await guest.goto(`/instances/${instance}/runs`);
  await guest.getByText('No runs yet').waitFor();
  await waitForCount(t, guest.getByRole('button', { name: 'Run…' }), 0);
  await guest.goto(`/instances/${instance}/scenarios/RT-COUNT?tab=edit`);
  await waitForValue(t, () => guest.getByRole('textbox', { name: 'Source' }).isEditable(), false);
  await waitForCount(t, guest.getByRole('button', { name: 'Save' }), 0);
  await guest.goto('/settings/environments');
  await guest.locator('.status.is-registered').waitFor();
  await waitForCount(t, guest.getByRole('button', { name: /Remove|Rotate key|Register/ }), 0);
  const refused = await guest.evaluate(async () => {
    const headers = { 'X-VP-Proof': localStorage.getItem('vp.proof') ?? '', 'content-type': 'application/json' };
    const body = JSON.stringify({ scenarios: [{ id: 'RT-COUNT' }] });
    const answer = await fetch('/api/v1/instances/shop/runs', { method: 'POST', headers, body });
    return answer.status;
  });
  t.equal(refused, 403);
  await page.reload();
  const isChanged = page.waitForResponse((response) => response.request().method() !== 'GET' && response.ok());
  await page.getByLabel('Role of Vic').selectOption('member');
  await isChanged;
  await guest.reload();
  await guest.goto(`/instances/${instance}/runs`);
  await guest.getByRole('button', { name: 'Run…' }).waitFor();
});

browserTest('an API key is shown once and can be revoked', async (t, { owner, url }) => {
  const page = await owner();
  await page.goto('/settings/account');
  await page.getByLabel('Name').fill('nightly build');
  await page.getByRole('button', { name: 'Create key' }).click();
  const key = await page.getByRole('dialog').locator('code').innerText();
  const ask = async (): Promise<number> =>
    (await fetch(`${url}/api/v1/instances`, { headers: { authorization: `Bearer ${key}` } })).status;
  t.equal(await ask(), 200);
  await page.getByLabel('I have copied it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'nightly build' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  await row.waitFor({ state: 'detached' });
  t.equal(await ask(), 401);
  t.notMatch(await page.content(), key);
});
