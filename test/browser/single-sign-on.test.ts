/** Signing in by an outside provider, in a real browser: cookies, redirects and the content security policy are its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { client, type OutsideProvider, outsideProvider } from '../server/outside-provider.ts';
import { portOf } from '../targets/raw-target.ts';
import { ana, instance, type More, visit } from './visit.ts';

const providers = new WeakMap<Test, OutsideProvider>();

/** A port that nobody holds at the moment: the provider must know our address before we have it. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  server.close();
  await once(server, 'close');
  return port;
}

async function withProvider(t: Test): Promise<More> {
  const port = await freePort();
  const provider = await outsideProvider(t, `http://127.0.0.1:${port}/single-sign-on`);
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

visit(
  'an invited person signs in by the provider and is where they wanted to be; signing out ends it here',
  async (t, { owner, somebody }) => {
    const provider = providers.get(t);
    if (!provider) throw new Error('there is a provider');
    const page = await owner();
    await page.goto('/settings/people');
    await page.getByLabel('Role', { exact: true }).selectOption('member');
    await page.getByLabel('Email').fill('max@example.com');
    await page.getByRole('button', { name: 'Make a link' }).click();
    await page.getByRole('dialog').waitFor();
    provider.who = { sub: 'max', email: 'max@example.com', email_verified: true, name: 'Max Outside' };
    const guest = await somebody();
    await guest.goto(`/instances/${instance}/scenarios?find=RT`);
    await guest.getByRole('link', { name: 'Sign in with Corp' }).click();
    await guest.getByRole('heading', { name: 'Scenarios' }).waitFor();
    t.match(guest.url(), new RegExp(`/instances/${instance}/scenarios\\?find=RT$`), 'nothing of the way is left');
    await guest.getByLabel('Account: Max Outside').click();
    await guest.getByRole('button', { name: 'Sign out' }).click();
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor();
    await guest.getByText('Signing out here does not sign you out at Corp.').waitFor();
    await guest.reload();
    await guest.getByRole('heading', { name: 'Sign in' }).waitFor();
    provider.who = { sub: 'eve', email: 'eve@example.com', email_verified: true };
    // The provider still knows Max in that browser.
    const stranger = await somebody();
    await stranger.goto('/');
    await stranger.getByRole('link', { name: 'Sign in with Corp' }).click();
    await stranger.getByRole('heading', { name: 'Not signed in' }).waitFor();
    t.match(await stranger.getByRole('alert').innerText(), /nobody has invited eve@example\.com/i);
    t.equal(new URL(stranger.url()).search, '');
  },
  withProvider,
);

visit(
  'an account here is connected by its password; a provider that is away is told, and passwords go on',
  async (t, { owner, somebody }) => {
    const provider = providers.get(t);
    if (!provider) throw new Error('there is a provider');
    await owner();
    provider.who = { sub: 'ana', email: ana.email, email_verified: true };
    const page = await somebody();
    await page.goto('/settings/people');
    await page.getByRole('link', { name: 'Sign in with Corp' }).click();
    await page.getByRole('heading', { name: 'Is this your account?' }).waitFor();
    await page.getByLabel('Password').fill('not her password');
    await page.getByRole('button', { name: 'Connect and sign in' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(ana.password);
    await page.getByRole('button', { name: 'Connect and sign in' }).click();
    await page.getByRole('cell', { name: ana.email }).waitFor();
    const again = await somebody();
    await again.goto('/settings/people');
    await again.getByRole('link', { name: 'Sign in with Corp' }).click();
    await again.getByRole('cell', { name: ana.email }).waitFor();
    await provider.close();
    const late = await somebody();
    await late.goto('/settings/people');
    await late.getByRole('link', { name: 'Sign in with Corp' }).click();
    // What was learnt of the provider is kept for an hour, so the browser itself meets nobody.
    t.match(late.url(), /^http|^chrome-error/);
    await late.goto('/settings/people#provider-away');
    t.match(await late.getByRole('alert').innerText(), /Corp cannot be reached/);
    await late.getByLabel('Email').fill(ana.email);
    await late.getByLabel('Password').fill(ana.password);
    await late.getByRole('button', { name: 'Sign in', exact: true }).click();
    await late.getByRole('cell', { name: ana.email }).waitFor();
  },
  withProvider,
);

t.setTimeout(120_000);
