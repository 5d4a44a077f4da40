/** The consent pages of hubs: texts and accessibility, in both themes and on a narrow screen. */
import type { Page } from 'playwright-core';
import { postFields, prepareAuthorization, registerClient } from '../oauth/oauth-client.ts';
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { callApi, openAcmeHub, prepareAcmeOptions } from './acme-hub.ts';
import { ana, browserTest } from './browser-test.ts';
import { startCallbackServer } from './callback-server.ts';
import { waitForCount } from './wait-for.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const appearances = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'a telephone', colorScheme: 'light', width: 360 },
] as const;

/** Returns violations and overflow of the page in every appearance. */
async function findViolations(page: Page): Promise<string[]> {
  const violations: string[] = [];
  for (const { name, colorScheme, width } of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const overflow = await measureOverflow(page);
    if (overflow > 0) violations.push(`${name}: ${overflow} px wider than the window`);
    violations.push(...(await findSeriousViolations(page)).map((violation) => `${name}: ${violation}`));
  }
  return violations;
}

const readMainText = (page: Page): Promise<string> => page.getByRole('main').innerText();

browserTest(
  'the consent page names the app, the hub, the permissions and the duration, and works by keyboard',
  async (t, context) => {
    const { page } = await openAcmeHub(t, context);
    const { query: callbackQuery, redirectUri } = await startCallbackServer(t);
    const name = `A program with ${'a long name '.repeat(4)}indeed`;
    const oauthClient = await registerClient(context, redirectUri, {
      client_name: name,
      client_uri: 'https://app.example/',
    });
    await page.goto(prepareAuthorization(oauthClient).url);
    await page.getByRole('heading', { name: `Allow ${name}?` }).waitFor();
    const text = await readMainText(page);
    t.match(text, /requests access to the tools of Acme Engineering \(acme\)\. You are Ana Lopes, ana@example\.com\./);
    t.match(text, 'It registered itself and its name is not verified');
    t.match(text, `The response goes to an app on this machine, at ${new URL(redirectUri).host}`);
    t.match(text, /Acting as you, it can:\s+see the tools, resources and prompts of this hub/);
    t.match(text, /Access lasts at most 30 days, or until you revoke it under Your account/);
    await waitForCount(t, page.locator('main a'), 0, 'nothing that the program says can be followed');
    t.same(await findViolations(page), []);
    for (let round = 0; round < 10; round += 1) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').innerText()) === 'Allow') break;
    }
    await page.keyboard.press('Enter');
    t.ok((await callbackQuery).get('code'));
  },
  prepareAcmeOptions,
);

browserTest(
  'the host of a remote app is displayed, and denying sends it no code',
  async (t, context) => {
    const { page } = await openAcmeHub(t, context);
    const oauthClient = await registerClient(context, 'https://app.example/callback');
    await page.goto(prepareAuthorization(oauthClient).url);
    await page.getByText('The response goes to app.example.').waitFor();
    const redirect = page.waitForRequest('https://app.example/callback?*');
    await page.getByRole('button', { name: 'Deny' }).click();
    const { searchParams } = new URL((await redirect).url());
    t.equal(searchParams.get('error'), 'access_denied');
    t.equal(searchParams.get('code'), null);
  },
  prepareAcmeOptions,
);

browserTest(
  'an app with a custom scheme is opened, and the page says that it can be closed',
  async (t, context) => {
    const { page } = await openAcmeHub(t, context);
    const oauthClient = await registerClient(context, 'com.example.probe:/callback');
    await page.goto(prepareAuthorization(oauthClient).url);
    await page.getByText('The response goes to an app on this machine, at com.example.probe:').waitFor();
    const answer = page.waitForResponse((response) => /\/oauth\/authorize\//.test(response.url()));
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    t.match((await answer).headers().location, /^com\.example\.probe:\/callback\?code=/);
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    await page.getByText('continues automatically. You can close this page').waitFor();
  },
  prepareAcmeOptions,
);

browserTest(
  'a client identified by a metadata document is displayed with the host that vouches for it',
  async (t, context) => {
    const { page } = await openAcmeHub(t, context);
    const oauthClient = await registerClient(context);
    // Documents are fetched only from public addresses, which a test does not have, so the response is modified.
    const client = { id: 'https://app.example/client.json', host: 'app.example', verified: true };
    await page.route('**/api/v1/interactions/*', async (route) => {
      const response = await route.fetch();
      const deviceAuthorization = await response.json();
      const vouched = { ...deviceAuthorization.client, ...client, registered: 'metadata_document' };
      await route.fulfill({ response, json: { ...deviceAuthorization, client: vouched } });
    });
    await page.goto(prepareAuthorization(oauthClient).url);
    await page.getByText('app.example vouches for its name, at https://app.example/client.json').waitFor();
    await waitForCount(t, page.getByText('not verified'), 0);
    t.same(await findViolations(page), []);
  },
  prepareAcmeOptions,
);

browserTest(
  'a resource without a hub is refused with a reason, without asking the person',
  async (t, context) => {
    const { page } = await openAcmeHub(t, context);
    const { query: callbackQuery, redirectUri } = await startCallbackServer(t);
    const oauthClient = await registerClient(context, redirectUri);
    await page.goto(prepareAuthorization(oauthClient, (query) => query.set('resource', context.url)).url);
    const query = await callbackQuery;
    t.equal(query.get('error'), 'invalid_target');
    t.match(query.get('error_description'), /hub/);
  },
  prepareAcmeOptions,
);

browserTest(
  'the device page displays the same details, and the grant is listed until it is revoked',
  async (t, context) => {
    const { page, resource } = await openAcmeHub(t, context);
    const grantTypes = [deviceGrant, 'refresh_token'];
    const device = { client_name: 'A terminal', grant_types: grantTypes, response_types: [], redirect_uris: [] };
    const { clientId } = await registerClient(context, undefined, device);
    const start = async () =>
      (
        await postFields(context, 'device-authorization', [
          ['client_id', clientId],
          ['resource', resource],
        ])
      ).body;
    const { user_code: code = '', device_code: deviceCode = '' } = await start();
    await page.goto('/device');
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    const text = await readMainText(page);
    t.match(
      text,
      /A terminal requests access to the tools of Acme Engineering \(acme\)\. Requested .* from 127\.0\.0\.1/,
    );
    t.match(text, 'It registered itself and its name is not verified');
    t.match(text, 'Access lasts at most 30 days');
    t.same(await findViolations(page), []);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Done. The app continues automatically').waitFor();
    const polling = [
      ['grant_type', deviceGrant],
      ['client_id', clientId],
      ['device_code', deviceCode],
    ] as const;
    const { body: tokens } = await postFields(context, 'token', polling);
    t.ok(tokens.access_token);
    await page.goto('/settings/account');
    const row = page.getByRole('listitem').filter({ hasText: 'A terminal' });
    await row.getByText(/for the tools of Acme Engineering \(acme\)/).waitFor();
    await row.getByText(/never used/).waitFor();
    t.same(await findViolations(page), []);
    await row.getByRole('button', { name: 'Revoke A terminal' }).click();
    await row.waitFor({ state: 'detached' });
  },
  prepareAcmeOptions,
);

browserTest(
  'a person outside of the hub learns on both pages whom to ask, and can only go back',
  async (t, context) => {
    const { page, resource } = await openAcmeHub(t, context);
    const { url } = await callApi<{ url: string }>(page, 'POST', '/invitations', { role: 'viewer' });
    const eve = await context.openPage();
    await eve.goto(url);
    await eve.getByLabel('Your name').fill('Eve');
    await eve.getByLabel('Email').fill('eve@example.com');
    await eve.getByLabel('Password').fill(ana.password);
    await eve.locator('button[type=submit]').click();
    await eve.waitForURL((target) => target.pathname !== '/invitation');
    const { query: callbackQuery, redirectUri } = await startCallbackServer(t);
    const oauthClient = await registerClient(context, redirectUri);
    await eve.goto(prepareAuthorization(oauthClient).url);
    await eve.getByRole('heading', { name: 'You are not a member of the hub acme' }).waitFor();
    await eve.getByText('Ask an owner of the hub to add you').waitFor();
    t.notMatch(await readMainText(eve), 'Acme Engineering', 'not even what the hub is called');
    t.same(await findViolations(eve), []);
    await waitForCount(t, eve.getByRole('button', { name: 'Allow', exact: true }), 0);
    await eve.getByRole('button', { name: 'Back to the app' }).click();
    t.equal((await callbackQuery).get('error'), 'access_denied');
    await eve.waitForURL((target) => target.href.startsWith(redirectUri));
    const grantTypes = [deviceGrant, 'refresh_token'];
    const device = { grant_types: grantTypes, response_types: [], redirect_uris: [] };
    const { clientId } = await registerClient(context, undefined, device);
    const deviceAuthorization = await postFields(context, 'device-authorization', [
      ['client_id', clientId],
      ['resource', resource],
    ]);
    await eve.goto('/device');
    await eve.getByLabel('Code').fill(deviceAuthorization.body.user_code ?? '');
    await eve.getByRole('button', { name: 'Continue' }).click();
    await eve.getByText('but you are not a member of it').waitFor();
    await waitForCount(t, eve.getByRole('button', { name: 'Allow' }), 0);
    await eve.getByRole('button', { name: 'Deny' }).click();
    await eve.getByText('Denied. The app gets no access.').waitFor();
  },
  prepareAcmeOptions,
);
