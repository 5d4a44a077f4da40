import { callApi } from './acme-hub.ts';
import { findAppearanceProblems } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForCondition, waitForText, waitForValue } from './wait-for.ts';

const longName = `a name as long as ${'people write them when '.repeat(3)}they can`;

const text = `# Scenario: GET documents by page

## Metadata

- ID: RT-GET-cases
- Layer: HTTP Ingestion

## TRIGGER

GET \${INGESTION_URL}/documents?page=\${page}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=\${status}
- body has count equals \${count}

## CASES

| case | page | status | count |
| --- | --- | --- | --- |
| first | 1 | 200 | 3 |
| second | 2 | 404 | 3 |
| third | 3 | 200 | 3 |
| ${longName} | 4 | 200 | 40 |
`;

browserTest('the cases of a run are listed, those that did not pass first', async (t, { owner }) => {
  const page = await owner();
  await callApi(page, 'PUT', `/instances/${instance}/scenarios/RT-GET-cases`, { text });
  const { runs } = await callApi<{ runs: { run_id: string }[] }>(page, 'POST', `/instances/${instance}/runs`, {
    scenarios: [{ id: 'RT-GET-cases' }],
  });
  const path = `/runs/${runs[0]?.run_id}`;
  await page.goto(path);
  const tab = page.getByRole('tab', { selected: true });
  await tab.filter({ hasText: 'Cases' }).waitFor();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('4 cases: 2 failed, 2 passed.').waitFor();
  await waitForValue(
    t,
    () =>
      panel.locator('section').evaluateAll((sections) => sections.map((section) => section.getAttribute('aria-label'))),
    ['second', longName, 'first', 'third'],
  );
  const second = panel.getByRole('region', { name: 'second' });
  await waitForText(t, second, /second · line 25 · failed · status 200[\s\S]*page=2[\s\S]*status/);
  await waitForCondition(
    t,
    async () => !(await panel.getByRole('region', { name: 'third' }).isVisible()),
    'what passed is folded',
  );
  await panel.getByText('Passed', { exact: true }).press('Enter');
  await panel.getByRole('region', { name: 'third' }).waitFor();
  await second.getByText('Body', { exact: true }).press('Enter');
  await second.getByText('"document 1"').waitFor();
  await tab.press('ArrowRight');
  await waitForCondition(
    t,
    async () => !/^Cases/.test((await page.getByRole('tab', { selected: true }).textContent()) ?? ''),
    'the arrow keys select a tab',
  );
  t.same(await findAppearanceProblems(page, path, '[role=tabpanel] section'), []);
});
