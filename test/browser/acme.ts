/** The hub `acme` with one connection, and its owner in a browser, who lets programs in. */
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { toolServer } from './tool-server.ts';
import type { More, Visit } from './visit.ts';

/** The tool that the hub offers. */
export const forecast = 'weather__forecast';

/** What a control plane needs for it. */
export const acmeOptions = async (): Promise<More> => ({ args: ['--allow-private-upstreams'] });

/** The hub as a program finds it, and the page of its owner. */
export type Acme = { readonly page: Page; readonly mcpUrl: string; readonly resource: string };

/** Calls the API as the page does. */
export function asPage<T>(page: Page, method: string, path: string, body?: object): Promise<T> {
  return page.evaluate(
    async ([verb, at, sent]) => {
      const proof = localStorage.getItem('vp.proof') ?? '';
      const json = { 'X-VP-Proof': proof, 'Content-Type': 'application/json' };
      const response = await fetch(`/api/v1${at}`, { method: verb ?? '', headers: json, ...(sent && { body: sent }) });
      const text = await response.text();
      if (!response.ok) throw new Error(`${verb} ${at}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    [method, path, body && JSON.stringify(body)] as const,
  );
}

/** Makes the first owner and the hub. */
export async function acme(t: Test, { owner, url }: Pick<Visit, 'owner' | 'url'>): Promise<Acme> {
  const page = await owner();
  const upstream = await toolServer(t);
  await asPage(page, 'POST', '/hubs', { slug: 'acme', name: 'Acme Engineering' });
  await asPage(page, 'POST', '/hubs/acme/connections', { name: 'weather', kind: 'http', url: upstream.url });
  return { page, mcpUrl: `${url}/hub/acme/mcp`, resource: `${url}/hub/acme` };
}

/**
 * Opens what a program asks a browser to open, and allows it where the page says `words` too; the browser is back at the
 * program then.
 */
export async function letIn(page: Page, authorizationUrl: string, words = 'Acme Engineering'): Promise<void> {
  const { origin } = new URL(authorizationUrl);
  await page.goto(authorizationUrl);
  await page.getByRole('heading', { name: /^Allow / }).waitFor();
  await page.getByRole('main').getByText(words).first().waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.waitForURL((there) => there.origin !== origin);
}

/** Types the code of a device and allows it. */
export async function letDeviceIn(page: Page, userCode: string): Promise<void> {
  await page.goto('/device');
  await page.getByLabel('Code').fill(userCode);
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.locator('b', { hasText: 'Acme Engineering' }).waitFor();
  await page.getByRole('button', { name: 'Yes, allow' }).click();
  await page.getByText('Done. The program goes on by itself').waitFor();
}
