import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import t from 'tap';
import { listenersOfLsof, listenersOn } from '../../src/containers/listeners.ts';
import { portOf } from '../targets/raw-target.ts';

const place = { variables: process.env, platform: process.platform };

t.test('a listener of this process, on either kind of address', async (t) => {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const port = portOf(server);
    const found = await listenersOn(place, port);
    const own = { pid: process.pid, name: /./ };
    t.match(found, [{ address: host, port, holder: own, user: userInfo().username }]);
    server.close();
    t.same(await listenersOn(place, port), []);
  }
});

t.test('a listener of another process', async (t) => {
  const code = 'const s = require("net").createServer().listen(0, "127.0.0.1", () => console.log(s.address().port))';
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  const [text] = await once(child.stdout, 'data');
  t.match(await listenersOn(place, Number(text)), [{ holder: { pid: child.pid } }]);
});

t.test('what lsof says', async (t) => {
  const text = 'p512\ncnode\nLada\nf21\nn127.0.0.1:3000\nf22\nn[::1]:3000\np600\ncControlCe\nLgrace\nf9\nn*:3000\n';
  t.same(listenersOfLsof(text, 3000), [
    { address: '127.0.0.1', port: 3000, holder: { pid: 512, name: 'node' }, user: 'ada' },
    { address: '[::1]', port: 3000, holder: { pid: 512, name: 'node' }, user: 'ada' },
    { address: '*', port: 3000, holder: { pid: 600, name: 'ControlCe' }, user: 'grace' },
  ]);
});

t.test('a platform that does not tell', async (t) => {
  t.same(await listenersOn({ ...place, platform: 'win32' }, 80), []);
});
