/** `vp connect` writes the address of the router that runs. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startRouter } from '../../src/assemble/router.ts';
import { systemRandom } from '../../src/environment/random.ts';
import { writePresence } from '../../src/router/presence.ts';
import { announceRouter, findRouter, listRunningRouters } from '../../src/router/router-presence.ts';
import { startTestControlPlane } from '../commands/test-control-plane.ts';
import { createWorkspace } from '../commands/test-workspace.ts';
import { memoryEnvironment } from '../environment/memory-environment.ts';

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };

t.test('connect writes the URL of the router that runs, whatever its port', async (t) => {
  const workspace = createWorkspace(t, 'http://127.0.0.1:1');
  const plane = await startTestControlPlane(t, workspace);
  await plane.registerInstance('shop');
  const { environment } = memoryEnvironment({ paths: workspace.paths });
  await writePresence(
    workspace.paths,
    { instance: 'shop', url: 'http://127.0.0.1:2', pid: 1, state: 'listening' },
    systemRandom,
  );
  const router = await startRouter({ environment, host: '127.0.0.1', port: 0, log: silent });
  t.teardown(() => router.close());
  t.same(await listRunningRouters(workspace.paths), [router.url]);
  const file = join(workspace.paths.config, 'routers', `${new URL(router.url).port}.json`);
  t.equal(statSync(file).mode & 0o777, 0o600);
  const connected = await plane.vp(['connect', '--product-dir', 'product', '--json']);
  t.match(JSON.parse(connected.stdout), { router: { url: `${router.url}/mcp`, running: true } });
  t.match(readFileSync(join(workspace.folder, 'product/.mcp.json'), 'utf8'), `"url": "${router.url}/mcp"`);
  const text = (await plane.vp(['connect', '--product-dir', 'product'])).stdout;
  t.match(text, `router   ${router.url}/mcp (running)`);
  t.notMatch(text, '`vp router');
  const named = ['connect', '--product-dir', 'product', '--router', 'http://127.0.0.1:2', '--dry-run', '--json'];
  t.match(JSON.parse((await plane.vp(named)).stdout), { router: { url: 'http://127.0.0.1:2/mcp', running: false } });
  const other = await plane.vp(['connect', '--product-dir', 'product', '--router', 'http://127.0.0.1:2']);
  t.match(other.stdout, 'start `vp router --port 2`');
  await router.close();
  t.throws(() => statSync(file), { code: 'ENOENT' });
});

t.test('a router that was killed, or a file of somebody else, is not believed', async (t) => {
  const paths = { config: t.testdir() };
  announceRouter(paths, 'http://127.0.0.1:2', systemRandom);
  t.same(await listRunningRouters(paths), []);
  t.match(await findRouter(paths, 'shop'), { url: 'http://127.0.0.1:9765' });
  const file = join(paths.config, 'routers', '2.json');
  for (const text of ['{', 'null', '{"url":"http://evil.example:80"}', '{"url":7}']) {
    writeFileSync(file, text, { mode: 0o600 });
    t.same(await listRunningRouters(paths), [], text);
  }
});
