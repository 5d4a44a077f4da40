import { findAppearanceProblems, findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';

browserTest('a schedule is added, paused, resumed, edited and removed', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}`);
  await page.getByRole('link', { name: 'Schedules', exact: true }).click();
  await page.getByText('Nothing runs by itself').waitFor();
  t.same(await findAppearanceProblems(page, `/instances/${instance}/schedules`, '.empty'), []);
  await page.getByRole('button', { name: 'Add schedule…' }).click();
  await page.getByLabel('Name').fill('nightly');
  await page.getByLabel('Cron').fill('0 25 * * *');
  await page.getByText(/Invalid value for hour/).waitFor();
  await page.getByLabel('Cron').fill('30 2 * * *');
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  await page
    .getByText(/, 02:30 (?:CET|CEST|GMT)/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Add schedule', exact: true }).click();
  const row = page.getByRole('row', { name: /nightly/ }).first();
  await row.getByText('30 2 * * * Europe/Berlin').waitFor();
  await row.getByRole('button', { name: 'Pause nightly' }).click();
  await row.getByText(/paused by/).waitFor();
  await row.getByRole('button', { name: 'Resume nightly' }).click();
  await row.getByRole('button', { name: 'Pause nightly' }).waitFor();
  await row.getByRole('button', { name: 'Edit nightly' }).click();
  await page.getByLabel('When').selectOption('every');
  await page.getByLabel('Interval').fill('6h');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('every 6h').waitFor();
  // Keys are the dialog's as long as it is there; meanwhile its button says Saving.
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('definition').filter({ hasText: 'every scenario' }).waitFor();
  t.same(await findProblemsAsDisplayed(page), [], 'with the times of a schedule');
  t.same(await findAppearanceProblems(page, `/instances/${instance}/schedules`, '[data-row]'), []);
  await page.getByRole('button', { name: 'Add schedule…' }).click();
  await page.getByLabel('Name').fill('deploy');
  await page.getByLabel('When').selectOption('webhook');
  await page.getByRole('button', { name: 'Add schedule', exact: true }).click();
  await page.getByText(/^whsec_/).waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Remove deploy' }).click();
  await page.getByLabel('Type deploy to confirm').fill('deploy');
  await page.getByRole('button', { name: 'Remove schedule' }).click();
  await page.getByRole('button', { name: 'Times of deploy' }).waitFor({ state: 'detached' });
});
