/** What `vp serve` keeps is what its flags say. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { keptAudit, keptRuns } from '../../../src/commands/serve/keeping-flags.ts';
import { password, realBrowser } from '../../server/oauth-plane.ts';
import { workspace } from '../workspace.ts';

const dayMs = 86_400_000;
const mib = 1_048_576;

t.test('days and MiB are told to the stores in their units', async (t) => {
  const runs = { 'keep-reports': 5, 'keep-bodies': 2, 'keep-mib': 10 };
  const audit = { 'keep-audit': 40, 'keep-arguments': 3, 'audit-mib': 20 };
  const flags = { ...runs, ...audit, 'audit-strict': true, 'audit-gaps': false };
  t.same(keptRuns(flags), { reportMaxAgeMs: 5 * dayMs, bodyMaxAgeMs: 2 * dayMs, storedMaxBytes: 10 * mib });
  const kept = { maxAgeMs: 40 * dayMs, argumentsMaxAgeMs: 3 * dayMs, maxBytes: 20 * mib, strict: true };
  t.same(keptAudit(flags), { ...kept, whenUnwritable: 'refuse' });
  t.match(keptAudit({ ...flags, 'audit-gaps': true }), { whenUnwritable: 'continue' });
});

t.test('the audit of a control plane has the size that was said at its start', async (t) => {
  const house = workspace(t, 'http://127.0.0.1:1');
  const place = ['--port', '0', '--data', join(house.folder, 'data')];
  const serve = house.start(['serve', '--json', ...place, '--audit-mib', '16', '--audit-strict']);
  t.teardown(() => {
    serve.interrupt();
    return serve.ended;
  });
  while (!serve.written.stdout.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 10));
  const told = JSON.parse(serve.written.stdout);
  const secret = new URL(readFileSync(told.setup_link_file, 'utf8').trim()).hash.slice(1);
  const ana = realBrowser(told.url);
  const owner = { secret, name: 'Ana', email: 'ana@example.com', password };
  t.equal((await ana.api('POST', '/setup', owner)).status, 201);
  t.equal((await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' })).status, 201);
  const state = await ana.api('GET', '/hubs/acme/audit/state');
  t.match(await state.json(), { most_bytes: 16 * mib, problem: null });
});
