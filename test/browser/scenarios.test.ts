import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { browserTest, instance } from './browser-test.ts';
import { readSource, writeSource } from './source-editor.ts';
import { waitForCondition, waitForCount, waitForMatch, waitForText, waitForValue } from './wait-for.ts';

const path = `/instances/${instance}/scenarios/RT-MORE`;

browserTest('an error is shown at its line while typing, and the fixed text is saved and run', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await readSource(page);
  const line = text.split('\n').findIndex((sourceLine) => sourceLine.includes('count equals 4')) + 1;
  await writeSource(page, text.replace('count equals 4', 'count equels 4'));
  await page.locator(`.editor-line.is-error[data-line="${line}"]`).waitFor();
  await waitForText(t, page.getByLabel('Problems'), new RegExp(`${line}:`));
  await waitForCondition(t, () => page.getByRole('button', { name: 'Save' }).isDisabled());
  await page.getByRole('button', { name: 'Change to body has count equals 4' }).click();
  await page.getByText('No problems.').waitFor();
  await writeSource(page, text.replace('count equals 4', 'count equals 3'));
  await page.getByText('No problems.').waitFor();
  await page.getByRole('textbox', { name: 'Source' }).press('ControlOrMeta+s');
  await page.getByText('Saved as revision 2.').waitFor();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.locator('.diff-line.is-added', { hasText: 'count equals 3' }).waitFor();
  await page.locator('.diff-line.is-removed', { hasText: 'count equals 4' }).waitFor();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('heading', { name: 'RT-MORE passed' }).waitFor();
});

browserTest('unsaved changes survive tabs, navigation, reloads and sign-out', async (t, { owner, openPage }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await readSource(page);
  const changed = text.replace('equals 4', 'equals 5');
  await writeSource(page, changed);
  await page.getByRole('tab', { name: 'Read' }).click();
  await page.getByRole('tab', { name: 'Source' }).click();
  await waitForValue(t, () => readSource(page), changed, 'after another tab');
  await page.getByRole('link', { name: 'Scenarios' }).first().click();
  await page.getByText('unsaved draft').waitFor();
  await page.goBack();
  await waitForValue(t, () => readSource(page), changed, 'after another page');
  await page.reload();
  await waitForValue(t, () => readSource(page), changed, 'after a reload, which was not asked about');
  await page.getByText('Your unsaved changes were restored').waitFor();
  await page.evaluate(() => localStorage.removeItem('vp.proof'));
  await page.reload();
  await page.getByLabel('Email').fill('ana@example.com');
  await page.getByLabel('Password').fill('seven brown otters swim');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await waitForValue(t, () => readSource(page), changed, 'after another sign-in');
  const other = await openPage();
  await other.goto(`${path}?tab=edit`);
  await waitForCount(t, other.getByRole('textbox', { name: 'Source' }), 0, 'nothing of it without the account');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await page.getByText('Your unsaved changes were restored').waitFor({ state: 'detached' });
  await waitForValue(t, () => readSource(page), text);
  await page.reload();
  await waitForValue(t, () => readSource(page), text);
});

browserTest('a revision saved in the meantime is not overwritten without confirmation', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await readSource(page);
  const second = await page.context().newPage();
  await second.goto(`${path}?tab=edit`);
  await readSource(second);
  await writeSource(page, text.replace('equals 4', 'equals 5'));
  await writeSource(second, text.replace('equals 4', 'equals 6'));
  await second.getByRole('button', { name: 'Save' }).click();
  await second.getByText('Saved as revision 2.').waitFor();
  await waitForMatch(t, () => readSource(page), /equals 5/, 'the typed text remains');
  await page.reload();
  await waitForMatch(t, () => readSource(page), /equals 5/, 'the other tab has removed its own draft only');
  await page.getByText('Ana Lopes has saved revision 2 in the meantime.').waitFor();
  await page.locator('.diff-line.is-removed', { hasText: 'equals 6' }).waitFor();
  await page.getByRole('button', { name: 'Overwrite with mine' }).click();
  await page.getByText('Saved as revision 3.').waitFor();
});

browserTest('a draft runs against the target without being saved', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await readSource(page);
  await writeSource(page, text.replace('equals 4', 'equals 3'));
  // At once: what is typed last is run, also before the page has shown that it is valid.
  await page.getByRole('textbox', { name: 'Source' }).press('ControlOrMeta+Enter');
  await page.getByRole('heading', { name: 'RT-MORE passed' }).waitFor();
  await page.getByText('draft', { exact: true }).waitFor();
  await page.goBack();
  await waitForMatch(t, () => readSource(page), /equals 3/);
  await page.goto(path);
  await page.getByText('body has count equals 4').waitFor();
  await page.getByText('revision 1').first().waitFor();
});

browserTest('a variable that the environment does not allow is reported at its position', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = await readSource(page);
  await writeSource(page, text.replace('/documents', '/documents?key=${SECRET}'));
  await page.locator('.editor-line.is-error', { hasText: 'SECRET' }).first().waitFor();
  await waitForText(t, page.getByLabel('Problems'), /SECRET/);
  await waitForCondition(t, () => page.getByRole('button', { name: 'Save' }).isDisabled());
});

browserTest(
  'a new scenario starts with a valid template, and a taken ID is reported while typing',
  async (t, { owner }) => {
    const page = await owner();
    await page.goto(`/instances/${instance}/scenarios`);
    await page.getByRole('link', { name: 'New scenario' }).click();
    await page.getByText('No problems.').waitFor();
    const text = await readSource(page);
    await writeSource(page, text.replace('RT-GET-document', 'RT-COUNT'));
    await page.getByLabel('Problems').getByText('the environment already has a scenario `RT-COUNT`').waitFor();
    await waitForCondition(t, () => page.getByRole('button', { name: 'Save' }).isDisabled());
    await page.getByRole('button', { name: 'Change to RT-COUNT-2' }).click();
    await page.getByText('No problems.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'RT-COUNT-2' }).waitFor();
    await page.goto(`/instances/${instance}/scenarios?find=count-2`);
    await page.locator('[data-row]').waitFor();
    await waitForCount(t, page.locator('[data-row]'), 1);
    await page.goto(`/instances/${instance}/scenarios/new`);
    await page.getByText('No problems.').waitFor();
    await waitForValue(t, () => readSource(page), text, 'the saved draft is not offered again');
  },
);

browserTest('the editor completes and checks the variables of the environment', async (t, { owner }) => {
  const page = await owner();
  await page.route(/\/api\/v1\/instances(\?|$)/, async (route) => {
    const response = await route.fetch();
    const { items, ...rest } = await response.json();
    const withVariables = items.map((item: object) => ({ ...item, scenario_variables: ['TENANT'] }));
    await route.fulfill({ response, json: { items: withVariables, ...rest } });
  });
  await page.goto(`/instances/${instance}/scenarios/RT-COUNT?tab=edit`);
  const source = await readSource(page);
  await writeSource(page, source.replace('X-Request-Id: ${correlation_id}', '$&\nX-Tenant: ${OTHER}'));
  await page.getByLabel('Problems').getByText('${OTHER}').first().waitFor();
  await writeSource(page, source.replace('X-Request-Id: ${correlation_id}', '$&\nX-Tenant: ${TENANT}'));
  await page.getByText('No problems.').waitFor();
  await page.locator('.cm-line', { hasText: 'X-Tenant' }).click();
  await page.keyboard.press('End');
  await page.keyboard.type(' ${T');
  const options = page.locator('.cm-tooltip-autocomplete li');
  await options.filter({ hasText: '${TENANT}' }).waitFor();
  t.pass('the variable is offered');
});

browserTest('a scenario is run, renamed, deleted and restored from the list', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios`);
  const row = (id: string) => page.getByRole('row').filter({ has: page.getByText(id, { exact: true }) });
  await row('RT-COUNT').getByText('never run').waitFor();
  await page.getByRole('button', { name: 'Run RT-COUNT' }).click();
  await row('RT-COUNT').getByText('passed').waitFor();
  t.same(await findSeriousViolations(page), []);
  await page.getByRole('button', { name: 'Rename RT-COUNT' }).click();
  await page.getByLabel('New ID').fill('RT-MORE');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('dialog').getByText('SCENARIO_ID_TAKEN').waitFor();
  await page.getByLabel('New ID').fill('RT-TOTAL');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await row('RT-TOTAL').waitFor();
  await waitForCount(t, row('RT-COUNT'), 0);
  await page.getByRole('button', { name: 'Delete RT-TOTAL' }).click();
  await page.getByRole('button', { name: 'Delete scenario' }).click();
  await row('RT-TOTAL').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Deleted' }).click();
  await row('RT-TOTAL').getByText('by Ana Lopes').waitFor();
  await page.getByRole('link', { name: /RT-TOTAL/ }).click();
  await page.getByText('This scenario was deleted.').waitFor();
  await page.getByRole('button', { name: /^Revision 1 / }).click();
  await page.getByRole('button', { name: 'Restore revision 1' }).click();
  await page.getByRole('tab', { name: 'History' }).click();
  await page.getByText('restored from revision 1').waitFor();
  const findCutOff = (): Promise<string[]> =>
    page
      .locator('.history button')
      .evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent));
  await waitForValue(t, findCutOff, [], 'the line of a revision is not cut off by the diff beside it');
  await page.goto(`/instances/${instance}/scenarios`);
  await row('RT-TOTAL').waitFor();
});

browserTest('typed text of a scenario that was deleted meanwhile is not lost', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`${path}?tab=edit`);
  const text = (await readSource(page)).replace('equals 4', 'equals 5');
  await writeSource(page, text);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete scenario' }).click();
  await page.getByRole('link', { name: 'New scenario' }).waitFor();
  await page.goto(path);
  await page.getByRole('button', { name: 'Use them for a new scenario' }).click();
  await waitForValue(t, () => readSource(page), text);
});

browserTest('changes of a policy survive navigation and reloads', async (t, { owner }) => {
  const page = await owner();
  await callApi(page, 'POST', '/hubs', { slug: 'acme', name: 'Acme Engineering' });
  await page.goto('/hubs/acme/policy');
  const denied = page.getByLabel('Denied for the member');
  await denied.fill('mail__send');
  await page.getByText('Not applied yet.').waitFor();
  await page.goto('/hubs/acme/tokens');
  await page.goto('/hubs/acme/policy');
  await waitForValue(t, () => denied.inputValue(), 'mail__send');
  await page.getByText('Your unsaved changes were restored').waitFor();
  await callApi(page, 'PUT', '/hubs/acme/policy', { document: {}, if_revision: 0 });
  await page.reload();
  await page.getByText('applying yours replaces it').waitFor();
  await waitForValue(t, () => denied.inputValue(), 'mail__send');
  await page.getByRole('button', { name: 'Discard draft' }).click();
  await waitForValue(t, () => denied.inputValue(), '');
  await page.reload();
  await page.getByText('No changes.').waitFor();
  await waitForValue(t, () => denied.inputValue(), '');
});

browserTest('a curl command becomes a scenario without its secrets', async (t, { owner }) => {
  const page = await owner();
  await page.goto(`/instances/${instance}/scenarios/new`);
  await page.getByText('No problems.').waitFor();
  await page.getByRole('button', { name: 'From a curl command' }).click();
  await page
    .getByLabel('curl command')
    .fill(`curl 'https://shop.example/documents?api_key=k1' -H 'Authorization: Bearer t0p' --json '{"a": 1}'`);
  await page.getByRole('button', { name: 'Import' }).click();
  await page.getByText('${ACCESS_TOKEN} needs a value').waitFor();
  await page.getByLabel('Problems').getByText('${ACCESS_TOKEN}').first().waitFor();
  const text = await readSource(page);
  t.match(text, 'POST ${INGESTION_URL}/documents?api_key=${API_KEY}');
  t.match(text, 'Authorization: Bearer ${ACCESS_TOKEN}');
  t.notMatch(text, /t0p|k1/);
});

for (const colorScheme of ['light', 'dark'] as const)
  for (const width of [1280, 390])
    browserTest(`the editor is accessible, ${colorScheme}, ${width} px`, async (t, { owner }) => {
      const page = await owner({ colorScheme, viewport: { width, height: 800 } });
      await page.goto(`${path}?tab=edit`);
      const text = await readSource(page);
      await writeSource(page, text.replace('count equals 4', 'count equels 4'));
      await page.locator('.editor-line.is-error').waitFor();
      t.same(await findSeriousViolations(page), []);
      t.ok((await measureOverflow(page)) <= 0);
      await page.getByText('- status=200').click();
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.insertText('- body has data m');
      await page.getByRole('option', { name: 'matching <regex>' }).waitFor();
      t.same(await findSeriousViolations(page), []);
      await page.keyboard.press('Enter');
      await waitForMatch(t, () => readSource(page), '- body has data matching regex');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Tab');
      await waitForCondition(
        t,
        async () =>
          !(await page.getByRole('textbox', { name: 'Source' }).evaluate((element) => element.matches(':focus'))),
      );
    });
