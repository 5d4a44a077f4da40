/** Connected apps, password reset, and the command palette. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ana, browserTest } from './browser-test.ts';

browserTest('an app that signed in is listed and revoked', async (t, { owner, url }) => {
  const page = await owner();
  await page.goto('/settings/account');
  await page.getByText('No apps yet. An app appears here when you allow it').waitFor();
  const ask = (path: string, fields: Record<string, string>): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams({ client_id: 'vp-cli', ...fields }) });
  const started = await (await ask('/oauth/device-authorization', { scope: 'api' })).json();
  await page.goto('/device');
  await page.getByLabel('Code').fill(started.user_code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Done. The app continues automatically').waitFor();
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: started.device_code };
  const tokens = await (await ask('/oauth/token', grant)).json();
  const call = async (): Promise<number> =>
    (await fetch(`${url}/api/v1/session`, { headers: { authorization: `Bearer ${tokens.access_token}` } })).status;
  t.equal(await call(), 200);
  await page.goto('/settings/account');
  const row = page.getByRole('listitem').filter({ hasText: 'vp on the command line' });
  await row.getByText(/used .* from 127\.0\.0\.1/).waitFor();
  await row.getByText('Can do on this control plane what your role allows').waitFor();
  await row.getByRole('button', { name: 'Revoke vp on the command line' }).click();
  await row.waitFor({ state: 'detached' });
  t.equal(await call(), 401);
});

browserTest(
  'a forgotten password is reset with the link of a command, which signs out all other sessions',
  async (t, fixture) => {
    const { owner, openPage, stage, data } = fixture;
    const page = await owner();
    const reset = await stage.run(['reset-password', '--data', data, '--email', ana.email]);
    t.equal(reset.code, 0);
    const other = await openPage();
    await other.goto(readFileSync(join(data, 'password-link.txt'), 'utf8').trim());
    await other.getByText(ana.email).waitFor();
    await other.getByLabel('New password').fill('eight grey herons stand still');
    await other.getByRole('button', { name: 'Set password and sign in' }).click();
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto('/reset-password#abcdefghijklmnopqrstuvwxyz');
    await page.getByRole('heading', { name: 'This link cannot be used' }).waitFor();
    t.pass();
  },
);

browserTest('Ctrl-K opens scenarios, pages and runs by a few letters, with the keyboard only', async (t, { owner }) => {
  const page = await owner();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Run id, scenario, view, environment or page' });
  await field.waitFor();
  await page.keyboard.type('rtmore');
  await page.getByRole('listbox', { name: 'Results' }).getByText('RT-MORE').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'RT-MORE' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('peo');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'People' }).waitFor();
  await page.keyboard.press('Control+k');
  await field.fill('20200101T000000000');
  await page.getByRole('option', { name: 'Run 20200101T000000000' }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/runs/20200101T000000000');
  await page.keyboard.press('Control+k');
  await field.fill('zzzz');
  await page.getByText('No results.').waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
  t.pass();
});
