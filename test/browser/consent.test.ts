/** Consent for OAuth clients with a browser on their machine, and for devices without one. */
import { createHash } from 'node:crypto';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { ana, browserTest } from './browser-test.ts';
import { startCallbackServer } from './callback-server.ts';
import { waitForText, waitForValue } from './wait-for.ts';

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

browserTest(
  'a signed-in person sees the client and the redirect host, and allows the request',
  async (t, { owner, url }) => {
    const page = await owner();
    const { query: callbackQuery, redirectUri } = await startCallbackServer(t);
    await page.goto(authorizeUrl(url, redirectUri));
    await page.getByRole('heading', { name: 'Allow vp on the command line?' }).waitFor();
    await page.getByText(ana.name).waitFor();
    await page.getByText(new URL(redirectUri).host).waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    const query = await callbackQuery;
    t.ok(query.get('code'));
    t.equal(query.get('state'), 'kept');
  },
);

browserTest(
  'a person without a session signs in first, and can deny the request',
  async (t, { owner, openPage, url }) => {
    await owner();
    const page = await openPage();
    const { query: callbackQuery, redirectUri } = await startCallbackServer(t);
    await page.goto(authorizeUrl(url, redirectUri));
    await page.getByText('vp on the command line asks you to sign in.').waitFor();
    await page.getByLabel('Email').fill(ana.email);
    await page.getByLabel('Password').fill(ana.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    t.equal((await callbackQuery).get('error'), 'access_denied');
  },
);

browserTest('a request of another browser cannot be answered', async (t, { owner }) => {
  const page = await owner();
  await page.goto('/interaction/abcdefghijklmnop');
  await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
  await waitForText(t, page.getByRole('alert'), /INTERACTION_ENDED/);
});

browserTest('an invalid request is reported on a page in the same style', async (t, { openPage, url }) => {
  const page = await openPage();
  await page.goto(authorizeUrl(url, 'https://evil.example/callback'));
  await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
  await page.getByText('is not one of those that the app registered').waitFor();
  await waitForValue(t, () => new URL(page.url()).origin, url);
  await waitForValue(
    t,
    () => page.locator('.card').evaluate((card) => getComputedStyle(card).borderRadius),
    '10px',
    'in our style',
  );
  t.same(await findSeriousViolations(page), []);
  await page.setViewportSize({ width: 360, height: 640 });
  t.ok((await measureOverflow(page)) <= 0, 'a narrow screen is wide enough');
});

browserTest('a device is allowed with its user code, and a wrong code is reported', async (t, { owner, url }) => {
  const page = await owner();
  const post = (path: string, fields: Record<string, string>): Promise<Response> =>
    fetch(`${url}${path}`, { method: 'POST', body: new URLSearchParams({ client_id: 'vp-cli', ...fields }) });
  const deviceAuthorization = await (await post('/oauth/device-authorization', { scope: 'api' })).json();
  await page.goto('/device');
  await page.getByLabel('Code').fill('WRNG-CODE');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code').fill(deviceAuthorization.user_code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText('127.0.0.1').waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Done. The app continues automatically').waitFor();
  const grant = {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: deviceAuthorization.device_code,
  };
  const tokens = await (await post('/oauth/token', grant)).json();
  t.ok(tokens.access_token);
});
