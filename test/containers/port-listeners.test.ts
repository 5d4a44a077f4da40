import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import t from 'tap';
import { findListeners, parseLsofOutput } from '../../src/containers/port-listeners.ts';
import { getPort } from '../targets/raw-target.ts';

const environment = { variables: process.env, platform: process.platform };

t.test('a listener of this process, on IPv4 and IPv6', async (t) => {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0']) {
    const server = createServer().listen(0, host);
    await once(server, 'listening');
    const port = getPort(server);
    const listeners = await findListeners(environment, port);
    const expectedHolder = { pid: process.pid, name: /./ };
    t.match(listeners, [{ address: host, port, holder: expectedHolder, user: userInfo().username }]);
    server.close();
    t.same(await findListeners(environment, port), []);
  }
});

t.test('a listener of another process', async (t) => {
  const code = 'const s = require("net").createServer().listen(0, "127.0.0.1", () => console.log(s.address().port))';
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill());
  const [text] = await once(child.stdout, 'data');
  t.match(await findListeners(environment, Number(text)), [{ holder: { pid: child.pid } }]);
});

t.test('output of lsof is parsed', async (t) => {
  const text = 'p512\ncnode\nLada\nf21\nn127.0.0.1:3000\nf22\nn[::1]:3000\np600\ncControlCe\nLgrace\nf9\nn*:3000\n';
  t.same(parseLsofOutput(text, 3000), [
    { address: '127.0.0.1', port: 3000, holder: { pid: 512, name: 'node' }, user: 'ada' },
    { address: '[::1]', port: 3000, holder: { pid: 512, name: 'node' }, user: 'ada' },
    { address: '*', port: 3000, holder: { pid: 600, name: 'ControlCe' }, user: 'grace' },
  ]);
});

t.test('an unsupported platform has no listeners', async (t) => {
  t.same(await findListeners({ ...environment, platform: 'win32' }, 80), []);
});
