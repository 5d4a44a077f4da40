/** The retention flags of `vp serve`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { toAuditRetention, toRunRetention } from '../../../src/commands/serve/retention-flags.ts';
import { eventually } from '../../eventually.ts';
import { createHttpBrowser, password } from '../../server/oauth/oauth-control-plane.ts';
import { createWorkspace } from '../test-workspace.ts';

const dayMs = 86_400_000;
const mib = 1_048_576;

t.test('days and MiB are converted to the units of the stores', async (t) => {
  const runs = { 'keep-reports': 5, 'keep-bodies': 2, 'keep-mib': 10 };
  const audit = { 'keep-audit': 40, 'keep-arguments': 3, 'audit-mib': 20 };
  const flags = { ...runs, ...audit, 'audit-strict': true, 'audit-intent': false, 'audit-gaps': false };
  t.same(toRunRetention(flags), { reportMaxAgeMs: 5 * dayMs, bodyMaxAgeMs: 2 * dayMs, storedMaxBytes: 10 * mib });
  const auditRetention = { maxAgeMs: 40 * dayMs, argumentsMaxAgeMs: 3 * dayMs, maxBytes: 20 * mib, strict: true };
  t.same(toAuditRetention(flags), { ...auditRetention, intents: false, whenUnwritable: 'refuse' });
  t.match(toAuditRetention({ ...flags, 'audit-intent': true }), { intents: true });
  t.match(toAuditRetention({ ...flags, 'audit-gaps': true }), { whenUnwritable: 'continue' });
});

t.test('the audit log of a control plane has the configured size', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:1');
  const listenFlags = ['--port', '0', '--data', join(testWorkspace.folder, 'data')];
  const serve = testWorkspace.start(['serve', '--json', ...listenFlags, '--audit-mib', '16', '--audit-strict']);
  t.teardown(() => {
    serve.interrupt();
    return serve.ended;
  });
  await eventually(() => serve.written.stdout, { until: (text) => text.includes('\n') });
  const started = JSON.parse(serve.written.stdout);
  const secret = new URL(readFileSync(started.setup_link_file, 'utf8').trim()).hash.slice(1);
  const ana = createHttpBrowser(started.url);
  const owner = { secret, name: 'Ana', email: 'ana@example.com', password };
  t.equal((await ana.api('POST', '/setup', owner)).status, 201);
  t.equal((await ana.api('POST', '/hubs', { slug: 'acme', name: 'Acme' })).status, 201);
  const state = await ana.api('GET', '/hubs/acme/audit/state');
  t.match(await state.json(), { most_bytes: 16 * mib, problem: null });
});
