/** Usage of a hub: counted by whatever an owner asks for, and exported. */
import { readFileSync } from 'node:fs';
import { browserTest } from './browser-test.ts';
import { addConnection, allowPrivateUpstreams, callHub, clipboard, createHub, createToken } from './hub-steps.ts';
import { startWeatherServer } from './weather-server.ts';

const groups = [
  ['tool', 'weather__forecast'],
  ['person', 'Ana Lopes'],
  ['client', 'probe'],
  ['connection', 'weather'],
  ['token', 'agent'],
] as const;

browserTest(
  'calls are counted by tool, person, client, connection, token and day, and exported',
  async (t, { owner, url }) => {
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    await addConnection(page, (await startWeatherServer(t)).url, 'weather');
    for (const city of ['Porto', 'Faro'])
      t.match(await callHub(url, token, 'tools/call', { name: 'weather__forecast', arguments: { city } }), /dry/);
    await page.goto('/hubs/acme/usage');
    for (const [by, name] of groups) {
      await page.getByLabel('By', { exact: true }).selectOption(by);
      const row = page.getByRole('row', { name: new RegExp(name) });
      await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    }
    await page.getByLabel('By', { exact: true }).selectOption('day');
    await page
      .getByRole('rowheader', { name: /^\d{4}-\d\d-\d\d$/ })
      .first()
      .waitFor();
    await page.getByLabel('By', { exact: true }).selectOption('person');
    await page.getByRole('row', { name: /Ana Lopes/ }).waitFor();
    for (const [format, expected] of [
      ['csv', /^id,name,calls,errors,denied,.*\r\n[^,]+,Ana Lopes,2,0,0,/],
      ['json', /"by": "person",[\s\S]*"name": "Ana Lopes",\s+"calls": 2,/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByLabel('Export').selectOption(format),
      ]);
      t.equal(download.suggestedFilename(), `acme-usage.${format}`);
      t.match(readFileSync(await download.path(), 'utf8'), expected);
    }
  },
  allowPrivateUpstreams,
);
