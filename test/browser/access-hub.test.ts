/** Every page of hubs, the registry and the settings, as `access.test.ts` checks the others. */
import type { Page } from 'playwright-core';
import { checkPages } from './access-checks.ts';
import { hubPages, isHubPath } from './access-pages.ts';
import { callApi } from './acme-hub.ts';
import { type BrowserTest, browserTest } from './browser-test.ts';
import { allowPrivateUpstreams } from './hub-steps.ts';
import { startWeatherServer } from './weather-server.ts';

/** A hub with a connection, a token and a call. */
async function prepareHub(page: Page, weatherUrl: string): Promise<void> {
  await callApi(page, 'POST', '/hubs', { slug: 'bare', name: 'Bare' });
  await callApi(page, 'POST', '/hubs', { slug: 'acme', name: 'Acme Engineering' });
  await callApi(page, 'POST', '/hubs/acme/connections', { name: 'weather', kind: 'http', url: weatherUrl });
  await callApi(page, 'POST', '/hubs/acme/tokens', { name: 'a token with a long name', expiry: '30 days' });
  await callApi(page, 'POST', '/hubs/acme/tools/call', { name: 'weather__forecast', arguments: { city: 'Porto' } });
}

browserTest(
  'no page of hubs and settings has serious violations or overflows',
  async (t, { owner }: BrowserTest) => {
    const page = await owner();
    await prepareHub(page, (await startWeatherServer(t)).url);
    t.same(await checkPages(page, { table: hubPages, isOwn: isHubPath, session: 'signed in' }), []);
  },
  allowPrivateUpstreams,
);
