/** `--health` of roles, as the health checks of containers call it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { json } from '../targets/http-target.ts';
import { plane } from './plane.ts';
import { target, workspace } from './workspace.ts';

t.test('a role that answers is healthy, one that is not there or answers wrongly is not', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:39');
  const { url } = await plane(t, here);
  const port = new URL(url).port;
  for (const role of ['serve', 'executor', 'router']) {
    t.match(await here.vp([role, '--health', '--port', port]), { code: 0, stdout: /answers/ }, role);
    t.match(await here.vp([role, '--health', '--host', '0.0.0.0', '--port', port]), { code: 0 }, role);
    t.match(await here.vp([role, '--health', '--port', '39']), { code: 4, stderr: /ROLE_UNWELL/ }, role);
  }
  const { origin } = await target(t, json({}, 500));
  const answer = await here.vp(['executor', '--health', '--port', new URL(origin).port]);
  t.match(answer, { code: 4, stderr: /it answers 500/ });
});

t.test('a log reader is asked on its socket', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:39');
  const folder = mkdtempSync(join(tmpdir(), 'vp-health-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'log.sock');
  t.match(await here.vp(['log-reader', '--health', '--socket', path]), {
    code: 4,
    stderr: /the socket does not exist/,
  });
  const server = createServer((_request, response) => void response.writeHead(404).end());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  t.teardown(() => server.close());
  t.match(await here.vp(['log-reader', '--health', '--socket', path]), { code: 0 });
});

t.test('a scrape key that is not there is told before anything starts', async (t) => {
  const here = workspace(t, 'http://127.0.0.1:39');
  const told = await here.vp(['router', '--port', '0', '--scrape-key-file', 'absent.key']);
  t.match(told, { code: 2, stderr: /SCRAPE_KEY_ABSENT/ });
});
