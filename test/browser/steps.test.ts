/** A scenario with steps and cleanup in the console: its page, and the run whose step failed. */
import { findSeriousViolations, measureOverflow } from './accessibility.ts';
import { callApi } from './acme-hub.ts';
import { browserTest, instance } from './browser-test.ts';
import { waitForMatch } from './wait-for.ts';

const text = `# Scenario: GET steps

## Metadata

- ID: RT-GET-steps
- Layer: HTTP Ingestion

## STEPS

### first read

GET \${INGESTION_URL}/api/v2/document

- status=200
- capture count = body.count

### create what nobody can

POST \${INGESTION_URL}/api/v2/nothing-here

- status=201

## TRIGGER

GET \${INGESTION_URL}/api/v2/document?seen=\${count}
X-Request-Id: \${correlation_id}

## EXPECT

### Runnable

- status=200

## CLEANUP

### remove nothing

DELETE \${INGESTION_URL}/api/v2/nothing-here

- status=204
`;

browserTest('the run of a scenario with steps shows which one failed, and the cleanup', async (t, { owner }) => {
  const page = await owner();
  await callApi(page, 'PUT', `/instances/${instance}/scenarios/RT-GET-steps`, { text });
  const { runs } = await callApi<{ runs: { run_id: string }[] }>(page, 'POST', `/instances/${instance}/runs`, {
    scenarios: [{ id: 'RT-GET-steps' }],
  });
  await page.goto(`/runs/${runs[0]?.run_id}`);
  const steps = page.getByRole('region', { name: 'Steps', exact: true });
  await steps.getByText('could not').or(steps.getByText('failed')).first().waitFor();
  await waitForMatch(
    t,
    () => page.getByRole('tab', { selected: true }).textContent(),
    /^Steps/,
    'the first tab is about the failure',
  );
  await page.getByText('The step “create what nobody can” failed with status 200').waitFor();
  await waitForMatch(t, () => steps.textContent(), /first read · line 10 · passed · status 200/);
  await waitForMatch(t, () => steps.textContent(), /create what nobody can · line 17 · failed · status 200/);
  await waitForMatch(
    t,
    () => page.getByRole('region', { name: 'Cleanup', exact: true }).textContent(),
    /remove nothing · .* failed/,
  );
  t.same(await findSeriousViolations(page), []);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 800 });
    t.ok((await measureOverflow(page)) <= 0, `${colorScheme}: fits a phone`);
    t.same(await findSeriousViolations(page), [], colorScheme);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto(`/instances/${instance}/scenarios/RT-GET-steps`);
  await page.getByRole('heading', { name: 'first read' }).waitFor();
  await page.getByRole('heading', { name: 'remove nothing' }).waitFor();
  t.same(await findSeriousViolations(page), []);
});
