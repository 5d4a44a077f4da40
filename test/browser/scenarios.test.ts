import t from 'tap';
import { browserTest, instance } from './browser-test.ts';

const path = `/instances/${instance}/scenarios/RT-MORE`;

browserTest('an error is shown at its line while typing, and the fixed text is saved and run', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const source = page.getByRole('textbox', { name: 'Source' });
  const text = await source.inputValue();
  const line = text.split('\n').findIndex((sourceLine) => sourceLine.includes('count equals 4')) + 1;
  await source.fill(text.replace('count equals 4', 'count equels 4'));
  await page.locator(`.editor-line.is-error[data-line="${line}"]`).waitFor();
  t.match(await page.getByLabel('Problems').innerText(), new RegExp(`${line}:`));
  t.ok(await page.getByRole('button', { name: 'Save' }).isDisabled());
  await source.fill(text.replace('count equals 4', 'count equals 3'));
  await page.getByText('No problems.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved as revision 2.').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('.diff-line.is-added', { hasText: 'count equals 3' }).waitFor();
  await page.locator('.diff-line.is-removed', { hasText: 'count equals 4' }).waitFor();
  await page.getByRole('button', { name: 'Run' }).click();
  await page.getByRole('heading', { name: 'RT-MORE passed' }).waitFor();
});

browserTest('a revision saved in the meantime is not overwritten without confirmation', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await page.getByRole('textbox', { name: 'Source' }).inputValue();
  const second = await page.context().newPage();
  await second.goto(`${path}?tab=edit`);
  await page.getByRole('textbox', { name: 'Source' }).fill(text.replace('equals 4', 'equals 5'));
  await second.getByRole('textbox', { name: 'Source' }).fill(text.replace('equals 4', 'equals 6'));
  await second.getByRole('button', { name: 'Save' }).click();
  await second.getByText('Saved as revision 2.').waitFor();
  t.match(await page.getByRole('textbox', { name: 'Source' }).inputValue(), /equals 5/, 'the typed text remains');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Ana Lopes has saved revision 2 in the meantime.').waitFor();
  await page.locator('.diff-line.is-removed', { hasText: 'equals 6' }).waitFor();
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await page.getByText('Saved as revision 3.').waitFor();
});

browserTest('a variable that the environment does not allow is reported at its position', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await page.getByRole('textbox', { name: 'Source' }).inputValue();
  await page.getByRole('textbox', { name: 'Source' }).fill(text.replace('/documents', '/documents?key=${SECRET}'));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.editor-line.is-error', { hasText: 'SECRET' }).first().waitFor();
  t.match(await page.getByLabel('Problems').innerText(), /SECRET/);
});

browserTest('a new scenario starts with a valid template', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios`);
  await page.getByRole('link', { name: 'New scenario' }).click();
  await page.getByText('No problems.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'RT-GET-document' }).waitFor();
  await page.getByRole('tab', { name: 'Read' }).waitFor();
  await page.getByRole('searchbox').waitFor({ state: 'detached' });
  await page.goto(`/instances/${instance}/scenarios?find=get-doc`);
  await page.locator('[data-row]').waitFor();
  t.equal(await page.locator('[data-row]').count(), 1);
});

t.setTimeout(120_000);
