/** The hub `acme` with one connection, and its owner in a browser, who authorizes OAuth clients. */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import type { BrowserTest, ServeOptions } from './browser-test.ts';
import { startWeatherServer } from './weather-server.ts';

/** A tool of the hub. */
export const forecast = 'weather__forecast';

/** Options of a control plane with this hub. */
export const prepareAcmeOptions = async (): Promise<ServeOptions> => ({ args: ['--allow-private-upstreams'] });

/** The URLs of the hub, and the page of its owner. */
export type AcmeHub = { readonly page: Page; readonly mcpUrl: string; readonly resource: string };

/** Calls the API with the session of the page. */
export function callApi<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  return page.evaluate(
    async ([httpMethod, apiPath, requestBody]) => {
      const proof = localStorage.getItem('vp.proof') ?? '';
      const json = { 'X-VP-Proof': proof, 'Content-Type': 'application/json' };
      const response = await fetch(`/api/v1${apiPath}`, {
        method: httpMethod ?? '',
        headers: json,
        ...(requestBody && { body: requestBody }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${httpMethod} ${apiPath}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    [method, path, body && JSON.stringify(body)] as const,
  );
}

/** Creates the first owner and the hub. */
export async function openAcmeHub(t: Test, { owner, url }: Pick<BrowserTest, 'owner' | 'url'>): Promise<AcmeHub> {
  const page = await owner();
  const upstream = await startWeatherServer(t);
  await callApi(page, 'POST', '/hubs', { slug: 'acme', name: 'Acme Engineering' });
  await callApi(page, 'POST', '/hubs/acme/connections', { name: 'weather', kind: 'http', url: upstream.url });
  return { page, mcpUrl: `${url}/hub/acme/mcp`, resource: `${url}/hub/acme` };
}

/** Opens an authorization URL, checks that the page names the hub, and allows the request. Returns after the redirect. */
export async function allowClient(page: Page, authorizationUrl: string, hubName = 'Acme Engineering'): Promise<void> {
  const { origin } = new URL(authorizationUrl);
  await page.goto(authorizationUrl);
  await page.getByRole('heading', { name: /^Allow / }).waitFor();
  await page.getByRole('main').getByText(hubName).first().waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL((target) => target.origin !== origin);
}

/** Types the user code of a device and allows the request. */
export async function allowDevice(page: Page, userCode: string): Promise<void> {
  await page.goto('/device');
  await page.getByLabel('Code').fill(userCode);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.locator('b', { hasText: 'Acme Engineering' }).waitFor();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('Done. The app continues automatically').waitFor();
}
