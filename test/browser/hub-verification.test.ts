/** Before an owner approves a changed definition, the scenarios of its tool run against it. */
import { callApi } from './acme-hub.ts';
import { findProblemsAsDisplayed } from './appearances.ts';
import { browserTest, instance } from './browser-test.ts';
import {
  addConnection,
  allowPrivateUpstreams,
  callHub,
  clipboard,
  createHub,
  createToken,
  reloadToolDefinitions,
} from './hub-steps.ts';
import { waitForText, waitForTexts } from './wait-for.ts';
import { startWeatherServer } from './weather-server.ts';

function buildScenario(id: string, expected: string): string {
  const metadata = `## Metadata\n\n- ID: ${id}\n- Layer: HTTP Ingestion`;
  const trigger = '## TRIGGER\n\nCALL weather__forecast\n\n~~~json\n{ "city": "Porto" }\n~~~';
  const checks = `- status=200\n- body has text containing ${expected}`;
  return `# Scenario: CALL ${id}\n\n${metadata}\n\n${trigger}\n\n## EXPECT\n\n### Runnable\n\n${checks}\n`;
}

browserTest(
  'the scenarios of a tool run against its changed definition, with their outcomes beside the difference',
  async (t, { owner, url }) => {
    const upstream = await startWeatherServer(t);
    const page = await owner(clipboard);
    await createHub(page, 'acme');
    const token = await createToken(page, 'agent');
    const call = (): Promise<string> =>
      callHub(url, token, 'tools/call', { name: 'weather__forecast', arguments: { city: 'Porto' } });
    await addConnection(page, upstream.url, 'weather');
    t.match(await call(), /dry/);
    for (const [id, expected] of [
      ['RT-CALL-dry', 'dry'],
      ['RT-CALL-wet', 'wet'],
    ] as const)
      await callApi(page, 'PUT', `/instances/${instance}/scenarios/${id}`, { text: buildScenario(id, expected) });
    upstream.description = 'Tells the weather of a town.';
    await reloadToolDefinitions(page);
    await callHub(url, token, 'tools/list');
    await page.goto('/hubs/acme/tools');
    await page.getByText('2 tools, 1 held back').waitFor();
    const tool = page.getByRole('region', { name: 'weather__forecast' });
    await tool.getByRole('button', { name: 'Run scenarios' }).click();
    const outcomes = tool.getByRole('region', { name: 'Scenarios of forecast' }).getByRole('listitem');
    await waitForTexts(t, outcomes, [
      /RT-CALL-dry\s+of shop\s+passed/,
      /RT-CALL-wet\s+of shop\s+failed[\s\S]*body has text containing wet: .*dry/,
    ]);
    await waitForText(t, tool.getByRole('region', { name: 'Changes in forecast' }), /−[^\n]*\n?.*of a city/s);
    t.notMatch(await call(), /dry/, 'it still waits');
    t.same(await findProblemsAsDisplayed(page), []);
    await tool.getByRole('button', { name: 'Approve changes' }).click();
    await tool.getByText('approved by Ana Lopes').waitFor();
    t.match(await call(), /dry/);
  },
  allowPrivateUpstreams,
);
