/** Single sign-on in a real browser, with its cookies, redirects and content security policy. */

import type { Test } from 'tap';
import { findFreePort } from '../free-port.ts';
import { client, type OpenidProvider, startOpenidProvider } from '../server/identity/openid-provider.ts';
import { ana, browserTest, instance, type ServeOptions } from './browser-test.ts';
import { waitForMatch, waitForText, waitForValue } from './wait-for.ts';

const providers = new WeakMap<Test, OpenidProvider>();

async function startWithProvider(t: Test): Promise<ServeOptions> {
  // The provider must know our address before the control plane listens.
  const port = await findFreePort();
  const provider = await startOpenidProvider(t, `http://127.0.0.1:${port}/single-sign-on`);
  providers.set(t, provider);
  const args = [
    '--port',
    String(port),
    '--sso-issuer',
    provider.issuer,
    '--sso-client-id',
    client.id,
    '--sso-name',
    'Corp',
  ];
  return { args, variables: { VP_SSO_CLIENT_SECRET: client.secret } };
}

browserTest(
  'an invited person signs in through the provider and returns to the requested page; signing out ends the session here',
  async (t, { owner, openPage }) => {
    const provider = providers.get(t);
    if (!provider) throw new Error('there is a provider');
    const page = await owner();
    await page.goto('/settings/people');
    await page.getByLabel('Role', { exact: true }).selectOption('member');
    await page.getByLabel('Email').fill('max@example.com');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('dialog').waitFor();
    provider.currentUser = { sub: 'max', email: 'max@example.com', email_verified: true, name: 'Max Outside' };
    const guest = await openPage();
    await guest.goto(`/instances/${instance}/scenarios?find=RT`);
    await guest.getByRole('link', { name: 'Sign in with Corp' }).click();
    await guest.getByRole('heading', { name: 'Scenarios' }).waitFor();
    await waitForMatch(
      t,
      () => guest.url(),
      new RegExp(`/instances/${instance}/scenarios\\?find=RT$`),
      'nothing of the way is left',
    );
    await guest.getByLabel('Account: Max Outside').click();
    await guest.getByRole('button', { name: 'Sign out' }).click();
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor();
    await guest.getByText('Signing out here does not sign you out at Corp.').waitFor();
    await guest.reload();
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor();
    provider.currentUser = { sub: 'eve', email: 'eve@example.com', email_verified: true };
    // The provider still has the session of Max in his browser.
    const strangerPage = await openPage();
    await strangerPage.goto('/');
    await strangerPage.getByRole('link', { name: 'Sign in with Corp' }).click();
    await strangerPage.getByRole('heading', { name: 'Not signed in' }).waitFor();
    await waitForText(t, strangerPage.getByRole('alert'), /there is no invitation for eve@example\.com/i);
    await waitForValue(t, () => new URL(strangerPage.url()).search, '');
  },
  startWithProvider,
);

browserTest(
  'an existing account is connected with its password; if the provider is unreachable, passwords still work',
  async (t, { owner, openPage }) => {
    const provider = providers.get(t);
    if (!provider) throw new Error('there is a provider');
    await owner();
    provider.currentUser = { sub: 'ana', email: ana.email, email_verified: true };
    const page = await openPage();
    await page.goto('/settings/people');
    await page.getByRole('link', { name: 'Sign in with Corp' }).click();
    await page.getByRole('heading', { name: 'Is this your account?' }).waitFor();
    await page.getByLabel('Password').fill('not her password');
    await page.getByRole('button', { name: 'Connect and sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(ana.password);
    await page.getByRole('button', { name: 'Connect and sign in' }).click();
    await page.getByRole('cell', { name: ana.email }).waitFor();
    const secondPage = await openPage();
    await secondPage.goto('/settings/people');
    await secondPage.getByRole('link', { name: 'Sign in with Corp' }).click();
    await secondPage.getByRole('cell', { name: ana.email }).waitFor();
    await provider.close();
    const latePage = await openPage();
    await latePage.goto('/settings/people');
    await latePage.getByRole('link', { name: 'Sign in with Corp' }).click();
    // Provider metadata is cached for an hour, so the redirect happens and the browser cannot connect.
    await waitForMatch(t, () => latePage.url(), /^http|^chrome-error/);
    await latePage.goto('/settings/people#provider-away');
    await waitForText(t, latePage.getByRole('alert'), /Corp cannot be reached/);
    await latePage.getByLabel('Email').fill(ana.email);
    await latePage.getByLabel('Password').fill(ana.password);
    await latePage.getByRole('button', { name: 'Sign in', exact: true }).click();
    await latePage.getByRole('cell', { name: ana.email }).waitFor();
  },
  startWithProvider,
);
