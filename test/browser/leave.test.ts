/** The pages where a person lets programs into a hub: what they say, for everybody, in both themes and on a telephone. */
import type { Page } from 'playwright-core';
import t from 'tap';
import { asking, posted, registered } from '../oauth/program.ts';
import { acme, acmeOptions, asPage } from './acme.ts';
import { callback } from './callback.ts';
import { seriousOf, widerThanWindow } from './sound.ts';
import { ana, visit } from './visit.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';
const looks = [
  { name: 'light', colorScheme: 'light', width: 1280 },
  { name: 'dark', colorScheme: 'dark', width: 1280 },
  { name: 'a telephone', colorScheme: 'light', width: 360 },
] as const;

/** What is wrong with the page as it stands, in every look. */
async function wrongWith(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const { name, colorScheme, width } of looks) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    const wider = await widerThanWindow(page);
    if (wider > 0) found.push(`${name}: ${wider} px wider than the window`);
    found.push(...(await seriousOf(page)).map((what) => `${name}: ${what}`));
  }
  return found;
}

const mainText = (page: Page): Promise<string> => page.getByRole('main').innerText();

visit(
  'the consent page says who asks, for which hub, what it may do and for how long, and can be answered by keys alone',
  async (t, place) => {
    const { page } = await acme(t, place);
    const { came, redirectUri } = await callback(t);
    const name = `A program with ${'a long name '.repeat(4)}indeed`;
    const program = await registered(place, redirectUri, { client_name: name, client_uri: 'https://app.example/' });
    await page.goto(asking(program).url);
    await page.getByRole('heading', { name: `Allow ${name}?` }).waitFor();
    const text = await mainText(page);
    t.match(text, /asks for the tools of Acme Engineering \(acme\)\. You are Ana Lopes, ana@example\.com\./);
    t.match(text, 'It registered itself, and its name is not verified');
    t.match(text, `The answer goes to a program on this machine, at ${new URL(redirectUri).host}`);
    t.match(text, /It may, as you:\s+see the tools, resources and prompts of this hub/);
    t.match(text, /For 30 days at most, or until you end it under Your account/);
    t.equal(await page.locator('main a').count(), 0, 'nothing that the program says can be followed');
    t.same(await wrongWith(page), []);
    for (let round = 0; round < 10; round += 1) {
      await page.keyboard.press('Tab');
      if ((await page.locator(':focus').innerText()) === 'Allow') break;
    }
    await page.keyboard.press('Enter');
    t.ok((await came).get('code'));
  },
  acmeOptions,
);

visit(
  'the address of a program elsewhere is said, and refusing sends there nothing',
  async (t, place) => {
    const { page } = await acme(t, place);
    const program = await registered(place, 'https://app.example/callback');
    await page.route('https://app.example/**', (route) => route.fulfill({ body: 'back at the program' }));
    await page.goto(asking(program).url);
    await page.getByText('The answer goes to app.example.').waitFor();
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByText('back at the program').waitFor();
    const { searchParams } = new URL(page.url());
    t.equal(searchParams.get('error'), 'access_denied');
    t.equal(searchParams.get('code'), null);
  },
  acmeOptions,
);

visit(
  'a program with a scheme of its own is opened, and the page says that it can be closed',
  async (t, place) => {
    const { page } = await acme(t, place);
    const program = await registered(place, 'com.example.probe:/callback');
    await page.goto(asking(program).url);
    await page.getByText('The answer goes to a program on this machine, at com.example.probe:').waitFor();
    const answer = page.waitForResponse((one) => /\/oauth\/authorize\//.test(one.url()));
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    t.match((await answer).headers().location, /^com\.example\.probe:\/callback\?code=/);
    await page.getByRole('heading', { name: 'Allowed' }).waitFor();
    await page.getByText('goes on by itself; this page can be closed').waitFor();
  },
  acmeOptions,
);

visit(
  'a program whose id is the address of a document is shown with the host that vouches for it',
  async (t, place) => {
    const { page } = await acme(t, place);
    const program = await registered(place);
    // Documents are fetched from public addresses alone, which a test has none of: what the server says of one is put in.
    const client = { id: 'https://app.example/client.json', host: 'app.example', verified: true };
    await page.route('**/api/v1/interactions/*', async (route) => {
      const response = await route.fetch();
      const asked = await response.json();
      const vouched = { ...asked.client, ...client, registered: 'metadata_document' };
      await route.fulfill({ response, json: { ...asked, client: vouched } });
    });
    await page.goto(asking(program).url);
    await page.getByText('app.example vouches for its name, at https://app.example/client.json').waitFor();
    t.equal(await page.getByText('not verified').count(), 0);
    t.same(await wrongWith(page), []);
  },
  acmeOptions,
);

visit(
  'a URL without a hub: the program is told why, and that nobody was asked',
  async (t, place) => {
    const { page } = await acme(t, place);
    const { came, redirectUri } = await callback(t);
    const program = await registered(place, redirectUri);
    await page.goto(asking(program, (query) => query.set('resource', place.url)).url);
    const query = await came;
    t.equal(query.get('error'), 'invalid_target');
    t.match(query.get('error_description'), /hub/);
  },
  acmeOptions,
);

visit(
  'the device page says the same, and what was allowed stands in the list until it is ended',
  async (t, place) => {
    const { page, resource } = await acme(t, place);
    const grantTypes = [deviceGrant, 'refresh_token'];
    const device = { client_name: 'A terminal', grant_types: grantTypes, response_types: [], redirect_uris: [] };
    const { clientId } = await registered(place, undefined, device);
    const start = async () =>
      (
        await posted(place, 'device-authorization', [
          ['client_id', clientId],
          ['resource', resource],
        ])
      ).body;
    const { user_code: code = '', device_code: deviceCode = '' } = await start();
    await page.goto('/device');
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Go on' }).click();
    await page.getByRole('button', { name: 'Yes, allow' }).waitFor();
    const text = await mainText(page);
    t.match(text, /A terminal asks for the tools of Acme Engineering \(acme\)\. It asked .* from 127\.0\.0\.1/);
    t.match(text, 'It registered itself, and its name is not verified');
    t.match(text, 'For 30 days at most');
    t.same(await wrongWith(page), []);
    await page.getByRole('button', { name: 'Yes, allow' }).click();
    await page.getByText('Done. The program goes on by itself').waitFor();
    const polling = [
      ['grant_type', deviceGrant],
      ['client_id', clientId],
      ['device_code', deviceCode],
    ] as const;
    const { body: tokens } = await posted(place, 'token', polling);
    t.ok(tokens.access_token);
    await page.goto('/settings/account');
    const row = page.getByRole('listitem').filter({ hasText: 'A terminal' });
    await row.getByText(/for the tools of Acme Engineering \(acme\)/).waitFor();
    await row.getByText(/never used/).waitFor();
    t.same(await wrongWith(page), []);
    await row.getByRole('button', { name: 'End A terminal' }).click();
    await row.waitFor({ state: 'detached' });
  },
  acmeOptions,
);

visit(
  'who is in no hub is told so on both pages, whom to ask, and may only go back',
  async (t, place) => {
    const { page, resource } = await acme(t, place);
    const { url } = await asPage<{ url: string }>(page, 'POST', '/invitations', { role: 'viewer' });
    const eve = await place.somebody();
    await eve.goto(url);
    await eve.getByLabel('Your name').fill('Eve');
    await eve.getByLabel('Email').fill('eve@example.com');
    await eve.getByLabel('Password').fill(ana.password);
    await eve.locator('button[type=submit]').click();
    await eve.waitForURL((there) => there.pathname !== '/invitation');
    const { came, redirectUri } = await callback(t);
    const program = await registered(place, redirectUri);
    await eve.goto(asking(program).url);
    await eve.getByRole('heading', { name: 'You are not in the hub acme' }).waitFor();
    await eve.getByText('Ask an owner of the hub to add you').waitFor();
    t.notMatch(await mainText(eve), 'Acme Engineering', 'not even what the hub is called');
    t.same(await wrongWith(eve), []);
    t.equal(await eve.getByRole('button', { name: 'Allow', exact: true }).count(), 0);
    await eve.getByRole('button', { name: 'Back to the program' }).click();
    t.equal((await came).get('error'), 'access_denied');
    await eve.waitForURL((there) => there.href.startsWith(redirectUri));
    const grantTypes = [deviceGrant, 'refresh_token'];
    const device = { grant_types: grantTypes, response_types: [], redirect_uris: [] };
    const { clientId } = await registered(place, undefined, device);
    const asked = await posted(place, 'device-authorization', [
      ['client_id', clientId],
      ['resource', resource],
    ]);
    await eve.goto('/device');
    await eve.getByLabel('Code').fill(asked.body.user_code ?? '');
    await eve.getByRole('button', { name: 'Go on' }).click();
    await eve.getByText('to which you do not belong').waitFor();
    t.equal(await eve.getByRole('button', { name: 'Yes, allow' }).count(), 0);
    await eve.getByRole('button', { name: 'No, refuse' }).click();
    await eve.getByText('Refused. The program gets nothing.').waitFor();
  },
  acmeOptions,
);

t.setTimeout(180_000);
