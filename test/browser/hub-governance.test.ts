/** Policy and audit of a hub in the console. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { type BrowserTest, browserTest } from './browser-test.ts';
import { addConnection, allowPrivateUpstreams, callHub, clipboard, createHub, createToken } from './hub-steps.ts';
import { waitForCondition, waitForCount, waitForMatch, waitForValue } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

async function createHubWithConnection(t: Test, { owner, url }: BrowserTest) {
  const page = await owner(clipboard);
  await createHub(page, 'acme');
  const token = await createToken(page, 'agent');
  await addConnection(page, (await startWeatherServer(t)).url, 'weather');
  const callTool = (name: string, args: object): Promise<string> =>
    callHub(url, token, 'tools/call', { name, arguments: args });
  const call = (city: string): Promise<string> => callTool('weather__forecast', { city });
  return { page, call, callTool };
}

browserTest(
  'a policy is edited as a form, tested on recorded calls, applied, and edited as text',
  async (t, fixture) => {
    const { page, call } = await createHubWithConnection(t, fixture);
    t.match(await call('Porto'), /dry/);
    await page.goto('/hubs/acme/policy');
    await page.getByText('No changes.').waitFor();
    await page.getByLabel('Denied for the viewer').fill('weather__wipe\n');
    await page.getByRole('button', { name: 'Add rule' }).click();
    const rule = page.getByRole('group', { name: 'Rule 1' });
    await page.getByText('Every rule must name its tools').waitFor();
    await rule.getByLabel('Tools').fill('weather__*');
    await rule.getByLabel('Schema').fill('{ "properties": ');
    await page.getByText('Rule 1: the schema must be a JSON object').waitFor();
    await waitForCondition(t, () => page.getByRole('button', { name: 'Apply policy' }).isDisabled());
    await rule.getByLabel('Schema').fill('{ "properties": { "city": { "const": "Faro" } } }');
    await rule.getByLabel('Message for refused callers').fill('Faro alone is ours');
    await page.getByRole('button', { name: 'Test on the calls of the last day' }).click();
    await page.getByText('Allowed calls that this policy refuses').waitFor();
    await page.getByText('Faro alone is ours').last().waitFor();
    t.match(await call('Porto'), /dry/, 'a trial changes nothing');
    await page.getByLabel('Denied for the viewer').fill('weather__wype\n');
    await page.getByRole('button', { name: 'Apply policy' }).click();
    await page.getByText('No connection of the hub has listed a tool weather__wype').waitFor();
    t.match(await call('Porto'), /dry/, 'a policy for a tool that does not exist is not in force');
    await page.getByRole('button', { name: 'Apply with unknown tools' }).click();
    await page.getByText('Revision 1, by Ana Lopes').waitFor();
    t.match(await call('Porto'), /Faro alone is ours/);
    t.match(await call('Faro'), /dry/);
    await editAsText(t, page);
    t.match(await call('Porto'), /dry/);
    await editConcurrently(t, page);
  },
  allowPrivateUpstreams,
);

/** The second of two concurrent edits is refused without losing its changes. */
async function editConcurrently(t: Test, page: Page): Promise<void> {
  const other = await page.context().newPage();
  for (const [editor, tool] of [
    [page, 'weather__w*'],
    [other, 'weather__f*'],
  ] as const) {
    await editor.goto('/hubs/acme/policy');
    await editor.getByLabel('Denied for the member').fill(tool);
  }
  await other.getByRole('button', { name: 'Apply policy' }).click();
  await other.getByText('Revision 3, by Ana Lopes').waitFor();
  await page.getByRole('button', { name: 'Apply policy' }).click();
  await page.getByText('has applied revision 3 since you began').waitFor();
  await waitForValue(t, () => page.getByLabel('Denied for the member').inputValue(), 'weather__w*');
  await page.getByRole('button', { name: 'Discard my changes and show revision 3' }).click();
  await page.getByText('No changes.').waitFor();
  await waitForValue(t, () => page.getByLabel('Denied for the member').inputValue(), 'weather__f*');
  await mergeConcurrentEdits(t, page, other);
}

/** Changes of different parts of the policy are shown side by side and merged. */
async function mergeConcurrentEdits(t: Test, page: Page, other: Page): Promise<void> {
  await page.getByLabel('New prompts').selectOption('offer');
  await other.getByLabel('Denied for the member').fill('weather__fo*');
  await other.getByRole('button', { name: 'Apply policy' }).click();
  await other.getByText('Revision 4, by Ana Lopes').waitFor();
  await page.getByRole('button', { name: 'Apply policy' }).click();
  await page.getByLabel('Changes of Ana Lopes').getByText('weather__fo*').waitFor();
  await page.getByLabel('Your changes', { exact: true }).getByText('"new_prompts": "offer"').waitFor();
  await page.getByRole('button', { name: 'Merge my changes into revision 4' }).click();
  await page.getByText('Not applied yet.').waitFor();
  await waitForValue(t, () => page.getByLabel('Denied for the member').inputValue(), 'weather__fo*');
  await page.getByRole('button', { name: 'Apply policy' }).click();
  await page.getByText('Revision 5, by Ana Lopes').waitFor();
  await waitForValue(t, () => page.getByLabel('New prompts').inputValue(), 'offer');
}

async function editAsText(t: Test, page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByLabel('Policy', { exact: true });
  const document = JSON.parse(await text.inputValue());
  t.match(document, { roles: { viewer: { deny: ['weather__wype'] } }, arguments: [{ message: 'Faro alone is ours' }] });
  await text.fill('{ "roles": ');
  await page.getByText(/^Invalid JSON/).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('No changes.').waitFor();
  await text.fill('{ "rules": {} }');
  await page.getByText('Unknown member "rules"').waitFor();
  await text.fill(JSON.stringify({ ...document, arguments: [] }));
  await page.getByRole('button', { name: 'Apply policy' }).click();
  await page.getByText('Revision 2, by Ana Lopes').waitFor();
}

browserTest(
  'calls appear live, are filtered by outcome, expanded, and exported in each format',
  async (t, fixture) => {
    const { page, call } = await createHubWithConnection(t, fixture);
    await page.goto('/hubs/acme/audit');
    await page.getByRole('row', { name: /connection added/ }).waitFor();
    await page.getByText('Following: new calls appear at the top.').waitFor();
    t.match(await call('Porto'), /dry/);
    const row = page.getByRole('row', { name: /weather__forecast/ });
    await row.getByRole('button', { name: 'ok' }).click();
    await page.getByText('"city": "Porto"').waitFor();
    await page.getByText(/^entry \d+, arguments digest/).waitFor();
    await waitForMatch(t, () => page.url(), /call=\d+/);
    await page.reload();
    await page.getByText('"city": "Porto"').waitFor();
    await page.getByLabel('Outcome').selectOption('denied');
    await page.getByRole('heading', { name: 'No matching calls' }).waitFor();
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await page.getByLabel('Tool', { exact: true }).fill('forecast');
    await page.getByLabel('Tool', { exact: true }).press('Enter');
    await row.waitFor();
    await waitForMatch(t, () => page.url(), /tool=forecast/);
    const [jsonl, csv, otel] = [
      await exportAudit(page, 'jsonl'),
      await exportAudit(page, 'csv'),
      await exportAudit(page, 'otel'),
    ];
    const calls = jsonl.split('\n').filter((line) => line.includes('"tool":"forecast"'));
    t.match(JSON.parse(calls[0] ?? ''), { tool: 'forecast', person: 'Ana Lopes', outcome: 'ok' });
    t.match(csv, /seq,.*\r?\n.*forecast/s);
    t.match(otel, /"resourceLogs"|"resourceSpans"|"forecast"/);
  },
  allowPrivateUpstreams,
);

async function exportAudit(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByLabel('Export').selectOption(format)]);
  return readFileSync(await download.path(), 'utf8');
}

browserTest(
  'the audit says how far it searched, and searches older calls on request',
  async (t, fixture) => {
    const { page, call } = await createHubWithConnection(t, fixture);
    for (let calls = 0; calls < 55; calls += 1) await call('Porto');
    await page.goto('/hubs/acme/audit');
    await page.getByText(/These are all calls since .* Older calls have not been searched yet/).waitFor();
    await page.getByRole('button', { name: 'Search older calls' }).click();
    const rows = page.getByRole('row', { name: /forecast/ });
    await rows.nth(54).waitFor();
    await waitForCount(t, page.getByRole('button', { name: 'Search older calls' }), 0, 'all have been searched');
    await waitForCount(t, rows, 55);
  },
  allowPrivateUpstreams,
);

browserTest(
  'a caller that invents a long name of a tool does not push the audit out of the window, and a tool is found without Enter',
  async (t, fixture) => {
    const { page, call, callTool } = await createHubWithConnection(t, fixture);
    await call('Porto');
    await callTool(`weather__${'a-very-long-name-'.repeat(10)}`, {});
    await page.goto('/hubs/acme/audit');
    await page.getByRole('row', { name: /a-very-long-name/ }).waitFor();
    const right = async (): Promise<number> => {
      const box = await page.getByRole('columnheader', { name: 'Time' }).boundingBox();
      return box ? box.x + box.width : Number.POSITIVE_INFINITY;
    };
    await waitForCondition(t, async () => (await right()) <= 1280, 'the last column is in the window');
    const hasWidth = async (): Promise<boolean> => {
      const person = await page.getByRole('cell', { name: 'Ana Lopes' }).first().boundingBox();
      return person !== null && person.height < 100 && person.width > 60;
    };
    await waitForCondition(t, hasWidth, 'other columns keep their width');
    await page.getByLabel('Tool', { exact: true }).fill('forecast');
    await page.keyboard.press('Tab');
    await waitForMatch(t, () => page.url(), /tool=forecast/);
    await waitForCount(t, page.getByRole('row', { name: /a-very-long-name/ }), 0);
  },
  allowPrivateUpstreams,
);
