/** Policy and audit of a hub in the console. */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { addConnection, ask, clipboard, createHub, createToken, privately } from './hub-visit.ts';
import { toolServer } from './tool-server.ts';
import { type Visit, visit } from './visit.ts';

/** A hub with one connection, a token, and a way to call. */
async function hub(t: Test, { owner, url }: Visit) {
  const page = await owner(clipboard);
  await createHub(page, 'acme');
  const token = await createToken(page, 'agent');
  await addConnection(page, (await toolServer(t)).url, 'weather');
  const call = (city: string): Promise<string> =>
    ask(url, token, 'tools/call', { name: 'weather__forecast', arguments: { city } });
  return { page, call };
}

visit(
  'a policy is written as a form, tried on what was called, put in force, and is the same as text',
  async (t, visit) => {
    const { page, call } = await hub(t, visit);
    t.match(await call('Porto'), /dry/);
    await page.goto('/hubs/acme/policy');
    await page.getByText('As it is in force.').waitFor();
    await page.getByLabel('Never for the viewer').fill('weather__wipe\n');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    const rule = page.getByRole('group', { name: 'Rule 1' });
    await page.getByText('A rule says of which tools it is').waitFor();
    await rule.getByLabel('Tools').fill('weather__*');
    await rule.getByLabel('Schema of the arguments').fill('{ "properties": ');
    await page.getByText('Rule 1: its schema is no JSON object').waitFor();
    t.ok(await page.getByRole('button', { name: 'Put in force' }).isDisabled());
    await rule.getByLabel('Schema of the arguments').fill('{ "properties": { "city": { "const": "Faro" } } }');
    await rule.getByLabel('What a caller is told who is refused').fill('Faro alone is ours');
    await page.getByRole('button', { name: 'Try on the calls of the last day' }).click();
    await page.getByText('It would refuse, though they were let through').waitFor();
    await page.getByText('Faro alone is ours').last().waitFor();
    t.match(await call('Porto'), /dry/, 'a trial changes nothing');
    await page.getByRole('button', { name: 'Put in force' }).click();
    await page.getByText('Revision 1, by Ana Lopes').waitFor();
    t.match(await call('Porto'), /Faro alone is ours/);
    t.match(await call('Faro'), /dry/);
    await asText(t, page);
    t.match(await call('Porto'), /dry/);
    await meanwhile(t, page);
  },
  privately,
);

/** Two people write at once: the second is told, and loses nothing by itself. */
async function meanwhile(t: Test, page: Page): Promise<void> {
  const other = await page.context().newPage();
  for (const [one, tool] of [
    [page, 'weather__mine'],
    [other, 'weather__theirs'],
  ] as const) {
    await one.goto('/hubs/acme/policy');
    await one.getByLabel('Never for the member').fill(tool);
  }
  await other.getByRole('button', { name: 'Put in force' }).click();
  await other.getByText('Revision 3, by Ana Lopes').waitFor();
  await page.getByRole('button', { name: 'Put in force' }).click();
  await page.getByText('has put revision 3 in force meanwhile').waitFor();
  t.equal(await page.getByLabel('Never for the member').inputValue(), 'weather__mine');
  await page.getByRole('button', { name: 'Discard mine, show revision 3' }).click();
  await page.getByText('As it is in force.').waitFor();
  t.equal(await page.getByLabel('Never for the member').inputValue(), 'weather__theirs');
}

async function asText(t: Test, page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Text' }).click();
  const text = page.getByLabel('Policy', { exact: true });
  const document = JSON.parse(await text.inputValue());
  t.match(document, { roles: { viewer: { deny: ['weather__wipe'] } }, arguments: [{ message: 'Faro alone is ours' }] });
  await text.fill('{ "roles": ');
  await page.getByText(/^No JSON/).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByText('As it is in force.').waitFor();
  await text.fill('{ "rules": {} }');
  await page.getByText('A policy has no "rules"').waitFor();
  await text.fill(JSON.stringify({ ...document, arguments: [] }));
  await page.getByRole('button', { name: 'Put in force' }).click();
  await page.getByText('Revision 2, by Ana Lopes').waitFor();
}

visit(
  'calls are seen as they happen, found by what became of them, opened, and exported in each form',
  async (t, visit) => {
    const { page, call } = await hub(t, visit);
    await page.goto('/hubs/acme/audit');
    await page.getByRole('heading', { name: 'No calls yet' }).waitFor();
    await page.getByText('Following: new calls appear on top.').waitFor();
    t.match(await call('Porto'), /dry/);
    const row = page.getByRole('row', { name: /weather__forecast/ });
    await row.getByRole('button', { name: 'ok' }).click();
    await page.getByText('"city": "Porto"').waitFor();
    await page.getByText(/^entry \d+; digest of the arguments/).waitFor();
    t.match(page.url(), /call=\d+/);
    await page.reload();
    await page.getByText('"city": "Porto"').waitFor();
    await page.getByLabel('Outcome').selectOption('denied');
    await page.getByRole('heading', { name: 'No calls like that' }).waitFor();
    await page.getByRole('button', { name: 'Show all calls' }).click();
    await page.getByLabel('Tool', { exact: true }).fill('forecast');
    await page.getByLabel('Tool', { exact: true }).press('Enter');
    await row.waitFor();
    t.match(page.url(), /tool=forecast/);
    const [jsonl, csv, otel] = [await saved(page, 'jsonl'), await saved(page, 'csv'), await saved(page, 'otel')];
    t.match(JSON.parse(jsonl.split('\n')[0] ?? ''), { tool: 'forecast', person: 'Ana Lopes', outcome: 'ok' });
    t.match(csv, /seq,.*\r?\n.*forecast/s);
    t.match(otel, /"resourceLogs"|"resourceSpans"|"forecast"/);
  },
  privately,
);

/** What the page saves. */
async function saved(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByLabel('Export').selectOption(format)]);
  return readFileSync(await download.path(), 'utf8');
}

visit(
  'the audit says how far it looked, and looks further back when asked',
  async (t, visit) => {
    const { page, call } = await hub(t, visit);
    for (let calls = 0; calls < 55; calls += 1) await call('Porto');
    await page.goto('/hubs/acme/audit');
    await page.getByText(/These are all calls since .* Earlier ones have not been looked at yet/).waitFor();
    await page.getByRole('button', { name: 'Look further back' }).click();
    await page.getByRole('button', { name: 'Look further back' }).waitFor({ state: 'detached' });
    t.equal(await page.getByRole('row', { name: /forecast/ }).count(), 55);
  },
  privately,
);

t.setTimeout(240_000);
