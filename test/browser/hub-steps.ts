/** Steps shared by the tests of hub pages. */
import type { Locator, Page } from 'playwright-core';
import type { BrowserTest, ServeOptions } from './browser-test.ts';

/** Browser permissions for reading and writing the clipboard. */
export const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
/** Lets hubs connect servers on this machine. */
export const allowPrivateUpstreams = async (): Promise<ServeOptions> => ({ args: ['--allow-private-upstreams'] });

/** The button says that it has copied for two seconds only, which a busy machine may take for the click. */
export async function clickToCopy(scope: Page | Locator, name: string): Promise<void> {
  const copied = scope.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, scope.getByRole('button', { name }).click()]);
}

/** Leaves the page at the tokens of the hub. */
export async function createHub(page: Page, slug: string): Promise<void> {
  await page.goto('/hubs');
  await page.getByLabel('Slug').fill(slug);
  await page.getByRole('button', { name: 'Create hub' }).click();
  await page.getByRole('heading', { name: 'API Tokens' }).waitFor();
}

/** Returns the token from the clipboard. */
export async function createToken(page: Page, name: string, expiry = '30 days'): Promise<string> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Expiry').selectOption(expiry);
  await page.getByRole('button', { name: 'Create token' }).click();
  return copyTokenFromDialog(page);
}

/** Closes the dialog afterwards. */
export async function copyTokenFromDialog(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await clickToCopy(dialog, 'Copy token');
  const token = await page.evaluate(() => navigator.clipboard.readText());
  const confirmation = dialog.getByRole('checkbox', { name: 'I have copied it' });
  if (await confirmation.isVisible()) await confirmation.check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  // Until then the form behind it is not empty yet, and keys are the dialog's.
  await dialog.waitFor({ state: 'detached' });
  return token;
}

/** Probes a server, then adds it. */
export async function addConnection(page: Page, url: string, name: string): Promise<void> {
  await page.goto('/hubs/acme/connections');
  await page.getByRole('button', { name: 'Add connection…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL', { exact: true }).fill(url);
  await dialog.getByRole('button', { name: 'See what it offers' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { name }).waitFor();
}

/** Definitions are read again after their connection is disabled and enabled. */
export async function reloadToolDefinitions(page: Page): Promise<void> {
  await page.goto('/hubs/acme/connections');
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Disable' }).waitFor();
}

/** A second person with an account, in a separate browser context. */
export async function signUpBen(page: Page, { openPage }: Pick<BrowserTest, 'openPage'>): Promise<Page> {
  await page.goto('/settings/people');
  await page.getByRole('button', { name: 'Create link' }).click();
  const link = await page.locator('.secret code').textContent();
  const other = await openPage(clipboard);
  await other.goto(link ?? '');
  await other.getByLabel('Your name').fill('Ben Okoye');
  await other.getByLabel('Email').fill('ben@example.com');
  await other.getByLabel('Password').fill('nine green lamps glow');
  await other.getByRole('button', { name: 'Create account' }).click();
  await other.getByRole('link', { name: 'Hubs' }).waitFor();
  return other;
}

export async function addBen(page: Page, role: 'owner' | 'member' | 'viewer'): Promise<void> {
  await page.goto('/hubs/acme/members');
  await page.getByLabel('Person').selectOption('Ben Okoye, ben@example.com');
  await page.getByLabel('Role in the hub').selectOption(role);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('row', { name: /Ben Okoye/ }).waitFor();
}

const protocolVersion = '2026-07-28';
const requestMeta = {
  'io.modelcontextprotocol/protocolVersion': protocolVersion,
  'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

function postMcp(
  url: string,
  token: string,
  message: object,
  extraHeaders: Record<string, string> = {},
): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...extraHeaders,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  return fetch(`${url}/agent/mcp`, { method: 'POST', headers, body });
}

/** Sends one request in the newest protocol revision, which needs no session. */
export async function callHub(
  url: string,
  token: string,
  method: string,
  params: { name?: string; arguments?: object } = {},
): Promise<string> {
  const names: Record<string, string> = params.name === undefined ? {} : { 'Mcp-Name': params.name };
  const headers = { 'MCP-Protocol-Version': protocolVersion, 'Mcp-Method': method, ...names };
  return (await postMcp(url, token, { method, params: { ...params, _meta: requestMeta } }, headers)).text();
}

const initializeParams = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'probe', version: '1' },
};

/** Sends the first request of a client. */
export function initialize(url: string, token: string): Promise<Response> {
  return postMcp(url, token, { method: 'initialize', params: initializeParams });
}
