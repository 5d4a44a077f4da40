/** A hub with one connection to a server that requires a sign-in. */
import type { Test } from 'tap';
import type { StartHubSignInResponse } from '../../../src/contract/hubs/connection-use-api.ts';
import type { HubConnection } from '../../../src/contract/hubs/hubs-api.ts';
import type { TestBrowser } from '../../server/test-browser.ts';
import { followSignInPages, type GuardedServer, startGuardedServer } from '../fixtures/guarded-server.ts';
import { readJson } from '../fixtures/hub-people.ts';
import { startTestHub, type TestHub } from '../fixtures/test-hub.ts';

export const path = '/api/v1/hubs/acme/connections';
/** A sign-in of the hub. */
export const oauth = { kind: 'oauth', sharing: 'shared' };

export type GuardedHub = TestHub & { readonly upstream: GuardedServer };

/** Starts both, with the connection `tools`. */
export async function startGuardedHub(
  t: Test,
  credential: object = oauth,
  serverOptions: Parameters<typeof startGuardedServer>[1] = {},
  publicUrls: readonly URL[] = [],
): Promise<GuardedHub> {
  const testHub = await startTestHub(t, {}, publicUrls);
  const upstream = await startGuardedServer(t, serverOptions);
  const response = await testHub.ana.ask('POST', path, {
    name: 'tools',
    kind: 'http',
    url: upstream.mcp.url,
    credential,
  });
  if (response.status !== 201) throw new Error(await response.text());
  return { ...testHub, upstream };
}

export const startSignIn = (browser: TestBrowser): Promise<Response> => browser.ask('POST', `${path}/tools/sign-in`);
/** The connection as the browser's person sees it. */
export const readConnection = (browser: TestBrowser): Promise<HubConnection> =>
  readJson(browser.ask('GET', `${path}/tools`));

/** The path of the callback. */
export async function obtainCallbackPath(
  { upstream }: Pick<GuardedHub, 'upstream'>,
  browser: TestBrowser,
): Promise<string> {
  const { authorization_url } = await readJson<StartHubSignInResponse>(startSignIn(browser));
  const { pathname, search } = new URL(await followSignInPages(authorization_url, upstream.issuer));
  return `${pathname}${search}`;
}

/** Status and location of the response. */
export async function finishSignIn(browser: TestBrowser, callbackPath: string): Promise<string> {
  const response = await browser.ask('GET', callbackPath, undefined, { withoutOrigin: true, withoutProof: true });
  return `${response.status} ${response.headers.get('location')}`;
}

export const signIn = async (testHub: Pick<GuardedHub, 'upstream'>, browser: TestBrowser): Promise<string> =>
  finishSignIn(browser, await obtainCallbackPath(testHub, browser));

/** The outcome of a call, or the code of its refusal. */
export async function callEcho(browser: TestBrowser): Promise<unknown> {
  const response = await browser.ask('POST', '/api/v1/hubs/acme/tools/call', {
    name: 'tools__echo',
    arguments: { text: 'x' },
  });
  const { code, outcome } = await response.json();
  return code ?? outcome;
}
