/** `--health` of roles, as the health checks of containers call it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { writePresence } from '../../../src/router/presence.ts';
import { respondWithJson } from '../../targets/http-target.ts';
import { startTestControlPlane } from '../test-control-plane.ts';
import { createWorkspace, startTarget } from '../test-workspace.ts';

t.test('a role that responds is healthy, one that is missing or responds with an error is not', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:39');
  const { url } = await startTestControlPlane(t, testWorkspace);
  const port = new URL(url).port;
  for (const role of ['serve', 'executor', 'router']) {
    t.match(await testWorkspace.vp([role, '--health', '--port', port]), { code: 0, stdout: /answers/ }, role);
    t.match(await testWorkspace.vp([role, '--health', '--host', '0.0.0.0', '--port', port]), { code: 0 }, role);
    t.match(await testWorkspace.vp([role, '--health', '--port', '39']), { code: 4, stderr: /ROLE_UNWELL/ }, role);
  }
  const { origin } = await startTarget(t, respondWithJson({}, 500));
  const answer = await testWorkspace.vp(['executor', '--health', '--port', new URL(origin).port]);
  t.match(answer, { code: 4, stderr: /it responds with status 500/ });
});

t.test('the health of a router names the executors that it reaches', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:39');
  const { url } = await startTestControlPlane(t, workspace);
  const health = ['router', '--health', '--port', new URL(url).port];
  t.match(await workspace.vp(health), { code: 0, stdout: /no executor is known: start one with `vp executor`/ });
  const { origin } = await startTarget(t, respondWithJson({ status: 'ok' }));
  const announce = (instance: string, address: string, state: 'listening' | 'stopped') =>
    writePresence(workspace.paths, { instance, url: address, pid: 1, state }, systemRandom);
  await announce('bank', origin, 'listening');
  await announce('shop', 'http://127.0.0.1:39', 'listening');
  await announce('tools', origin, 'stopped');
  const text = await workspace.vp(health);
  t.equal(text.code, 0, 'the router itself is well');
  t.match(text.stdout, new RegExp(`the router at ${url} answers; executors:\n {2}bank {3}${origin} {2}answers\n`));
  t.match(text.stdout, /shop {3}http:\/\/127\.0\.0\.1:39 {2}does not answer: .+\n {2}tools .* stopped/);
  const named = await workspace.vp([...health, '--executor', `shop=${origin}`, '--json']);
  t.match(JSON.parse(named.stdout), {
    healthy: true,
    executors: [
      { instance: 'bank', url: origin, state: 'answers', problem: null },
      { instance: 'shop', url: origin, state: 'answers', problem: null },
      { instance: 'tools', state: 'stopped' },
    ],
  });
});

t.test('the health of a log reader is checked on its socket', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:39');
  const folder = mkdtempSync(join(tmpdir(), 'vp-health-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'log.sock');
  t.match(await testWorkspace.vp(['log-reader', '--health', '--socket', path]), {
    code: 4,
    stderr: /the socket does not exist/,
  });
  const server = createServer((_request, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => server.close());
  t.match(await testWorkspace.vp(['log-reader', '--health', '--socket', path]), { code: 0 });
});

t.test('a missing scrape key is reported before anything starts', async (t) => {
  const testWorkspace = createWorkspace(t, 'http://127.0.0.1:39');
  const result = await testWorkspace.vp(['router', '--port', '0', '--scrape-key-file', 'absent.key']);
  t.match(result, { code: 2, stderr: /SCRAPE_KEY_ABSENT/ });
});
