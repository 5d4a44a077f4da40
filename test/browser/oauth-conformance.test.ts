/** The official conformance suite's scenarios of authorization servers, with a person who lets it in. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { registered } from '../oauth/program.ts';
import { acme, acmeOptions, letIn } from './acme.ts';
import { freePort } from './callback.ts';
import { visit } from './visit.ts';

const modules = join(import.meta.dirname, '..', '..', 'node_modules');
const suite = join(modules, '@modelcontextprotocol/conformance/dist/index.js');

type Check = { readonly id: string; readonly status: string; readonly errorMessage?: string };

visit(
  'every check of the suite’s authorization scenarios passes, without a warning',
  async (t, place) => {
    const { page, resource } = await acme(t, place);
    const port = String(await freePort());
    const { clientId } = await registered(place, `http://127.0.0.1:${port}/callback`);
    const results = join(place.stage.folder, 'results');
    const about = ['--url', place.url, '--client-id', clientId, '--resource', resource];
    const line = [suite, 'authorization', ...about, '--port', port, '--output-dir', results];
    const running = place.stage.start(process.execPath, line);
    const [, asked = ''] = await running.said(/(http\S+\/oauth\/authorize\?\S+)/);
    await letIn(page, asked);
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
  acmeOptions,
);

t.setTimeout(120_000);
