import { startReceiver } from '../notifications/notification-fixture.ts';
import { findUnreachableControls } from './accessibility.ts';
import { findAppearanceProblems, findProblemsAsDisplayed, saveScreenshot } from './appearances.ts';
import { browserTest } from './browser-test.ts';

const path = '/settings/notifications';

browserTest(
  'a channel is added, tested, edited and removed, and its log says what was sent',
  async (t, { owner }) => {
    const receiver = await startReceiver(t);
    const page = await owner();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('link', { name: 'Notifications', exact: true }).click();
    await page.getByText('Nobody is notified').waitFor();
    t.same(await findAppearanceProblems(page, path, '.empty'), []);
    await page.getByRole('button', { name: 'Add channel…' }).click();
    await page.getByLabel('Name').fill('team');
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('recovered').uncheck();
    await page.getByLabel('Quiet from').fill('22:00');
    await page.getByLabel('Quiet until').fill('07:00');
    await page.getByLabel('Time zone').fill('Europe/Atlantis');
    await saveScreenshot(page, 'dialog of a channel');
    for (const height of [640, 660, 680, 700, 720, 800]) {
      await page.setViewportSize({ width: 1280, height });
      t.same(await findUnreachableControls(page), [], 'the foot of the dialog hides no field that has the focus');
    }
    await page.getByRole('button', { name: 'Add channel', exact: true }).click();
    await page.getByText(/Europe\/Atlantis is not a known time zone/).waitFor();
    await page.getByLabel('Time zone').fill('Europe/Berlin');
    await page.getByRole('button', { name: 'Add channel', exact: true }).click();
    const row = page.getByRole('row', { name: /^team/ });
    await row.getByText('at once, quiet 22:00–07:00 Europe/Berlin').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    t.notMatch(await page.content(), /secret-4711/, 'the address is a secret');
    await row.getByRole('button', { name: 'Send test to team' }).click();
    await row.getByText('The test message was accepted.').waitFor();
    t.match(receiver.requests, [{ body: { text: 'A test message of vp' } }]);
    receiver.respondWith(410);
    await row.getByRole('button', { name: 'Send test to team' }).click();
    await row.getByText(/it answered 410/).waitFor();
    const log = page.getByRole('region', { name: 'Log' });
    await log.getByRole('row', { name: /not sent it answered 410/ }).waitFor();
    await log.getByLabel('State').selectOption('sent');
    await log.getByRole('row', { name: /not sent/ }).waitFor({ state: 'detached' });
    await log.getByRole('row', { name: /A test message of vp team .* sent/ }).waitFor();
    t.same(await findAppearanceProblems(page, path, 'table'), []);
    await row.getByRole('button', { name: 'Edit team' }).click();
    await page.getByLabel('Digest in minutes').fill('30');
    await page.keyboard.press('Enter');
    await row.getByText('every 30 minutes, quiet 22:00–07:00 Europe/Berlin').waitFor();
    await page.getByRole('button', { name: 'Add channel…' }).click();
    await page.getByLabel('Name').fill('ops');
    await page.getByLabel('Kind').selectOption('webhook');
    await page.getByLabel('URL').fill(receiver.url);
    await page.getByLabel('Tags').fill('smok');
    await page.getByRole('button', { name: 'Add channel', exact: true }).click();
    await page.getByText(/^whsec_/).waitFor();
    await page.getByLabel('I have copied it').check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('There is no scenario with the tag smok.').waitFor();
    await page.getByRole('button', { name: 'Add channel…' }).click();
    await page.getByLabel('Name').fill('mail');
    await page.getByLabel('Kind').selectOption('email');
    await page.getByLabel('Mail server').fill('smtp.example');
    await page.getByLabel('From', { exact: true }).fill('vp@a.example');
    await page.getByLabel('To', { exact: true }).fill('ana@a.example, ben@a.example');
    await page.getByRole('button', { name: 'Add channel', exact: true }).click();
    await page.getByText('Email: ana@a.example, ben@a.example by smtp.example').waitFor();
    t.same(await findProblemsAsDisplayed(page), [], 'several channels, one of them for a tag that nothing has');
    await page.getByRole('button', { name: 'Remove team' }).click();
    await page.getByLabel('Type team to confirm').fill('team');
    await page.getByRole('button', { name: 'Remove channel' }).click();
    await row.waitFor({ state: 'detached' });
  },
  async () => ({ args: ['--allow-private-upstreams'] }),
);
