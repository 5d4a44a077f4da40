/** Free ports, which no other test is given in the meantime. */
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import t from 'tap';
import { findFreePort } from './free-port.ts';
import { getPort } from './targets/raw-target.ts';

/** An administrator may have widened the range from which the system chooses. */
function findRangeProblem(): string | false {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  const [first = ''] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(/\s+/) : ['32768'];
  return Number(first) < 32_000 && `this system gives ports from ${first} on`;
}

t.test('a free port is none that a listener on port 0 is given', { skip: findRangeProblem() }, async (t) => {
  const servers = Array.from({ length: 20 }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const smallest = Math.min(...servers.map(getPort));
  for (const server of servers) server.close();
  t.ok((await findFreePort()) < smallest);
});

t.test('a free port can be listened on', async (t) => {
  const port = await findFreePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.equal(getPort(server), port);
  server.close();
});
