/** The authorization server scenarios of the official conformance suite. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../free-port.ts';
import { registerClient } from '../oauth/oauth-client.ts';
import { allowClient, openAcmeHub, prepareAcmeOptions } from './acme-hub.ts';
import { browserTest } from './browser-test.ts';

const modules = join(import.meta.dirname, '..', '..', 'node_modules');
const suite = join(modules, '@modelcontextprotocol/conformance/dist/index.js');

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

browserTest(
  'every check of the authorization scenarios passes without a warning',
  async (t, testServer) => {
    const { page, resource } = await openAcmeHub(t, testServer);
    const port = String(await findFreePort());
    const { clientId } = await registerClient(testServer, `http://127.0.0.1:${port}/callback`);
    const results = join(testServer.stage.folder, 'results');
    const serverArgs = ['--url', testServer.url, `--client-id=${clientId}`, '--resource', resource];
    const commandLine = [suite, 'authorization', ...serverArgs, '--port', port, '--output-dir', results];
    const running = testServer.stage.start(process.execPath, commandLine);
    const [, authorizationUrl = ''] = await running.waitForOutput(/(http\S+\/oauth\/authorize\?\S+)/);
    await allowClient(page, authorizationUrl);
    const { code, stdout } = await running.ended;
    t.equal(code, 0, stdout);
    const files = globSync(join(results, '**', 'checks.json'));
    const checks = files.flatMap((file): Check[] => JSON.parse(readFileSync(file, 'utf8')));
    t.same(checks.map(({ id, status, errorMessage = '' }) => `${id} ${status} ${errorMessage}`.trim()).sort(), [
      'authorization-code-grant SUCCESS',
      'authorization-server-metadata SUCCESS',
      'authorization-server-metadata-cimd SUCCESS',
    ]);
  },
  prepareAcmeOptions,
);
