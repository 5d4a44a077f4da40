/** Programs that ask a person for leave: with a browser on their machine, and without one. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { callback } from './callback.ts';
import { seriousOf, widerThanWindow } from './sound.ts';
import { ana, visit } from './visit.ts';

const verifier = 'a-verifier-of-at-least-forty-three-characters-it-is';
const challenge = createHash('sha256').update(verifier).digest('base64url');

function authorizeUrl(url: string, redirectUri: string): string {
  const query = new URLSearchParams({
    client_id: 'vp-cli',
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope: 'api',
    state: 'kept',
  });
  return `${url}/oauth/authorize?${query}`;
}

visit('a signed-in person is asked once, sees for whom and where to, and allows it', async (t, { owner, url }) => {
  const page = await owner();
  const { came, redirectUri } = await callback(t);
  await page.goto(authorizeUrl(url, redirectUri));
  await page.getByRole('heading', { name: 'Allow vp on the command line?' }).waitFor();
  await page.getByText(ana.name).waitFor();
  await page.getByText(new URL(redirectUri).host).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  const query = await came;
  t.ok(query.get('code'));
  t.equal(query.get('state'), 'kept');
});

visit('somebody who is not signed in signs in first, and may refuse', async (t, { owner, somebody, url }) => {
  await owner();
  const page = await somebody();
  const { came, redirectUri } = await callback(t);
  await page.goto(authorizeUrl(url, redirectUri));
  await page.getByText('vp on the command line asks you to sign in.').waitFor();
  await page.getByLabel('Email').fill(ana.email);
  await page.getByLabel('Password').fill(ana.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Refuse' }).click();
  t.equal((await came).get('error'), 'access_denied');
});

visit('a request of another browser cannot be answered', async (t, { owner }) => {
  const page = await owner();
  await page.goto('/interaction/abcdefghijklmnop');
  await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
  t.match(await page.getByRole('alert').innerText(), /INTERACTION_ENDED/);
});

visit('a request that cannot go on is told by a page as the others are', async (t, { somebody, url }) => {
  const page = await somebody();
  await page.goto(authorizeUrl(url, 'https://evil.example/callback'));
  await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
  await page.getByText('is not one of those it registered').waitFor();
  t.equal(new URL(page.url()).origin, url);
  t.equal(await page.locator('.card').evaluate((card) => getComputedStyle(card).borderRadius), '10px', 'in our style');
  t.same(await seriousOf(page), []);
  await page.setViewportSize({ width: 360, height: 640 });
  t.ok((await widerThanWindow(page)) <= 0, 'a narrow screen is wide enough');
});

visit('a device is allowed by its typed code, a wrong code is told', async (t, { owner, url }) => {
  const page = await owner();
  const ask = (path: string, fields: Record<string, string>): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams({ client_id: 'vp-cli', ...fields }) });
  const started = await (await ask('/oauth/device-authorization', { scope: 'api' })).json();
  await page.goto('/device');
  await page.getByLabel('Code').fill('WRNG-CODE');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code').fill(started.user_code);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: 'Yes, allow' }).click();
  await page.getByText('Done. The program goes on by itself').waitFor();
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: started.device_code };
  const tokens = await (await ask('/oauth/token', grant)).json();
  t.ok(tokens.access_token);
});

t.setTimeout(120_000);
