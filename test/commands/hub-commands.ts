/** Commands of a person against the control plane of a test hub, over HTTP. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { TestHub } from '../hub/fixtures/test-hub.ts';
import { startTestServer } from '../hub/fixtures/test-server.ts';
import { createApiKey } from '../server/test-browser.ts';
import { origin } from '../server/test-server.ts';
import { createWorkspace } from './test-workspace.ts';

/** Runs commands as Ana, who owns the hub `acme`. */
export async function startHubCommands(t: Test, { api, ana }: Pick<TestHub, 'api' | 'ana'>) {
  // In a subfolder, because `t.testdir` empties the folder of the store.
  const folder = join(t.testdirName, 'workspace');
  mkdirSync(folder);
  const workspace = createWorkspace(t, 'http://127.0.0.1:9', {}, folder);
  const server = await startTestServer(t, async ({ url, method, headers, body }) => {
    const { pathname, search } = new URL(url);
    const sent = method === 'GET' ? {} : { body: await new Response(body).text() };
    return api.fetch(new Request(`${origin}${pathname}${search}`, { method, headers, ...sent }));
  });
  const variables = { VP_CONTROL_PLANE: new URL(server.url).origin, VP_TOKEN: await createApiKey(ana, 'owner') };
  return (...args: string[]) => workspace.vp(args, { variables });
}
