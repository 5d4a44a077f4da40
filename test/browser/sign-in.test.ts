import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ana, instance, visit } from './visit.ts';

visit('the setup link makes the first owner, once', async (t, { owner, somebody }) => {
  const page = await owner();
  await page.getByRole('heading', { name: instance }).waitFor();
  t.notOk((await page.evaluate(() => location.hash)).length, 'the secret has left the address');
  const late = await somebody();
  await late.goto('/setup#abcdefghijklmnopqrstuvwxyz');
  await late.getByRole('heading', { name: 'Already set up' }).waitFor();
});

visit('the secret of a link stays in the address until the page keeps it', async (t, { data, somebody }) => {
  const page = await somebody();
  // React may throw a rendering away and begin anew: what it reads must still be there, so the form comes first.
  await page.addInitScript(() => {
    const replace = history.replaceState.bind(history);
    history.replaceState = (...given) => {
      const had = location.hash !== '';
      replace(...given);
      const isHidden = had && location.hash === '';
      if (isHidden) document.documentElement.dataset.formWasThere = String(document.querySelector('form') !== null);
    };
  });
  await page.goto(readFileSync(join(data, 'setup-link.txt'), 'utf8').trim());
  await page.getByLabel('Your name').waitFor();
  await page.waitForFunction(() => location.hash === '');
  t.equal(await page.evaluate(() => document.documentElement.dataset.formWasThere), 'true');
});

visit('signing in goes on where one was, signing out ends it, wrong words are told', async (t, { owner }) => {
  const page = await owner();
  await page.getByLabel('Account: Ana Lopes').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  t.equal(await page.evaluate(() => localStorage.getItem('vp.proof')), null);
  await page.goto('/settings/people');
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill('not her password at all');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('cell', { name: ana.email }).waitFor();
  t.match(page.url(), /\/settings\/people$/);
});

visit('a session that ends elsewhere asks for a new one here', async (t, { owner, somebody }) => {
  const page = await owner();
  const other = await somebody();
  await other.goto('/settings/account');
  await other.getByLabel('Email').fill(ana.email);
  await other.getByLabel('Password').fill(ana.password);
  await other.getByRole('button', { name: 'Sign in' }).click();
  await other.getByRole('button', { name: 'End' }).first().click();
  await other.getByRole('button', { name: 'End' }).first().waitFor({ state: 'detached' });
  // The page may have heard of the end by itself, from its stream of events, before anybody clicks.
  const signIn = page.getByRole('heading', { name: 'Sign in' });
  await page.getByRole('link', { name: 'Settings' }).or(signIn).first().click();
  await signIn.waitFor();
  t.pass('the page of the ended session asks to sign in');
});

visit('a cookie without the half that the page keeps is worth nothing', async (t, { owner }) => {
  const page = await owner();
  await page.evaluate(() => localStorage.clear());
  await page.reload();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  t.pass('the page asks to sign in');
});

visit('an invited viewer sees everything and changes nothing', async (t, { owner, somebody }) => {
  const page = await owner();
  await page.goto('/settings/people');
  await page.getByLabel('Role', { exact: true }).selectOption('viewer');
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = await page.getByRole('dialog').locator('code').innerText();
  await page.getByLabel('I have copied it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  const guest = await somebody();
  await guest.goto(link);
  await guest.getByText('Ana Lopes invites you as viewer').waitFor();
  await guest.getByLabel('Your name').fill('Vic');
  await guest.getByLabel('Email').fill('vic@example.com');
  await guest.getByLabel('Password').fill('a quiet lake of stones');
  await guest.getByRole('button', { name: 'Make my account' }).click();
  await guest.getByRole('heading', { name: instance }).waitFor();
  await guest.getByText('Nothing has run here yet').waitFor();
  t.equal(await guest.getByRole('button', { name: 'Run…' }).count(), 0);
  await guest.goto(`/instances/${instance}/scenarios/RT-COUNT?tab=edit`);
  t.equal(await guest.getByRole('textbox', { name: 'Source' }).isEditable(), false);
  t.equal(await guest.getByRole('button', { name: 'Save' }).count(), 0);
  await guest.goto('/settings/environments');
  await guest.locator('.status.is-registered').waitFor();
  t.equal(await guest.getByRole('button', { name: /Remove|New key|Register/ }).count(), 0);
  const refused = await guest.evaluate(async () => {
    const headers = { 'X-VP-Proof': localStorage.getItem('vp.proof') ?? '', 'content-type': 'application/json' };
    const body = JSON.stringify({ scenarios: [{ id: 'RT-COUNT' }] });
    const answer = await fetch('/api/v1/instances/shop/runs', { method: 'POST', headers, body });
    return answer.status;
  });
  t.equal(refused, 403);
  await page.reload();
  await page.getByLabel('Role of Vic').selectOption('member');
  await guest.waitForTimeout(100);
  await guest.reload();
  await guest.goto(`/instances/${instance}/runs`);
  await guest.getByRole('button', { name: 'Run…' }).waitFor();
});

visit('an API key is shown once and can be ended', async (t, { owner, url }) => {
  const page = await owner();
  await page.goto('/settings/account');
  await page.getByLabel('Name').fill('nightly build');
  await page.getByRole('button', { name: 'Make a key' }).click();
  const key = await page.getByRole('dialog').locator('code').innerText();
  const ask = async (): Promise<number> =>
    (await fetch(`${url}/api/v1/instances`, { headers: { authorization: `Bearer ${key}` } })).status;
  t.equal(await ask(), 200);
  await page.getByLabel('I have copied it').check();
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'nightly build' });
  await row.getByRole('button', { name: 'End' }).click();
  await row.waitFor({ state: 'detached' });
  t.equal(await ask(), 401);
  t.notMatch(await page.content(), key);
});

t.setTimeout(180_000);
