/** What tests of a hub's pages do again and again. */
import type { Page } from 'playwright-core';
import type { More, Visit } from './visit.ts';

/** Lets pages copy, and tests read what was copied. */
export const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
/** A control plane whose hubs may connect servers of this machine. */
export const privately = async (): Promise<More> => ({ args: ['--allow-private-upstreams'] });

/** The page is at the hub's tokens afterwards. */
export async function createHub(page: Page, slug: string): Promise<void> {
  await page.goto('/hubs');
  await page.getByLabel('Slug').fill(slug);
  await page.getByRole('button', { name: 'Create hub' }).click();
  await page.getByRole('heading', { name: 'API Tokens' }).waitFor();
}

/** By the dialog; the token is taken from the clipboard. */
export async function createToken(page: Page, name: string, expiry = '30 days'): Promise<string> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Expiry').selectOption(expiry);
  await page.getByRole('button', { name: 'Create token' }).click();
  return takeToken(page);
}

/** From the dialog that shows it, which is closed then. */
export async function takeToken(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Copy token' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  const asked = dialog.getByRole('checkbox', { name: 'I have copied it' });
  if (await asked.isVisible()) await asked.check();
  await dialog.getByRole('button', { name: 'Done' }).click();
  return token;
}

/** Looks at what a server offers, and adds it. */
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

/** Somebody with an account, in a browser of their own. */
export async function ben(page: Page, { somebody }: Pick<Visit, 'somebody'>): Promise<Page> {
  await page.goto('/settings/people');
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = await page.locator('.secret code').textContent();
  const other = await somebody(clipboard);
  await other.goto(link ?? '');
  await other.getByLabel('Your name').fill('Ben Okoye');
  await other.getByLabel('Email').fill('ben@example.com');
  await other.getByLabel('Password').fill('nine green lamps glow');
  await other.getByRole('button', { name: 'Make my account' }).click();
  await other.getByRole('link', { name: 'Hubs' }).waitFor();
  return other;
}

/** Adds Ben to the hub. */
export async function addBen(page: Page, role: 'owner' | 'member' | 'viewer'): Promise<void> {
  await page.goto('/hubs/acme/members');
  await page.getByLabel('Person').selectOption('Ben Okoye, ben@example.com');
  await page.getByLabel('Role in the hub').selectOption(role);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('row', { name: /Ben Okoye/ }).waitFor();
}

const revision = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'probe', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** One message to /agent/mcp. */
function post(url: string, token: string, message: object, more: Record<string, string> = {}): Promise<Response> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...more,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message });
  return fetch(`${url}/agent/mcp`, { method: 'POST', headers, body });
}

/** What comes back, of the newest revision, where no session is needed. */
export async function ask(
  url: string,
  token: string,
  method: string,
  params: { name?: string; arguments?: object } = {},
): Promise<string> {
  const names: Record<string, string> = params.name === undefined ? {} : { 'Mcp-Name': params.name };
  const headers = { 'MCP-Protocol-Version': revision, 'Mcp-Method': method, ...names };
  return (await post(url, token, { method, params: { ...params, _meta: envelope } }, headers)).text();
}

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'probe', version: '1' } };

/** What a client gets that begins with this token. */
export function begin(url: string, token: string): Promise<Response> {
  return post(url, token, { method: 'initialize', params: hello });
}
