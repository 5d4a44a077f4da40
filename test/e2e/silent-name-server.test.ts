/** The packed binary where the system's name server never answers: the verdict does not wait for it, and neither does the end. */
import { spawnSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Test } from 'tap';
import { packedFile } from '../packed/packed.ts';
import { type Sandbox, sandboxTest } from './sandbox.ts';
import { configText, scenarioText } from './test-environment.ts';

/** Of resolv.conf(5), which names no port. */
const dnsPort = 53;
/** The patience of a system, which a run does not have. */
const resolverOptions = 'options timeout:10 attempts:6\n';

/** A loopback address of this process's own, so that test runs do not meet. */
const address = `127.77.${(process.pid >> 8) & 0xff}.${process.pid & 0xff || 1}`;

function bindSocket(): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.bind(dnsPort, address);
  return once(socket, 'listening').then(() => socket);
}

/** Listens, counts and never answers. */
async function startSilentNameServer(t: Test): Promise<{ queries(): number }> {
  const socket = await bindSocket();
  let queries = 0;
  socket.on('message', () => {
    queries += 1;
  });
  t.teardown(() => socket.close());
  return { queries: () => queries };
}

/** What this user may not do; in continuous integration the test fails of it. */
async function findObstacle(): Promise<string | false> {
  if (process.env.CI) return false;
  const { status } = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
  if (status !== 0) return 'this user may not mount';
  return bindSocket().then(
    (socket) => {
      socket.close();
      return false;
    },
    () => 'this user may not listen on port 53',
  );
}

async function runWithSilentNameServer(t: Test, sandbox: Sandbox): Promise<void> {
  const server = await startSilentNameServer(t);
  const resolver = sandbox.write('resolv.conf', `nameserver ${address}\n${resolverOptions}`);
  sandbox.write('product/platform-config.yaml', configText('http://target.silent.example:8080'));
  sandbox.write('silent.md', scenarioText('RT-silent').replace('60s', '1s'));
  const script = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  const command = [packedFile, 'run', '--local', 'silent.md', '--product-dir', 'product', '--json'];
  const running = sandbox.start('unshare', ['--mount', 'sh', '-c', script, 'sh', resolver, ...command]);
  const { code, stdout, stderr } = await running.ended;
  t.equal(code, 4, `${stdout}${stderr}`);
  t.match(stdout, /no connection to target\.silent\.example:8080/);
  // One query for each family: the second attempt comes after two seconds, and the process had ended before.
  t.equal(server.queries(), 2);
}

sandboxTest(
  'a run ends at its timeout although nobody resolves the name of its target',
  runWithSilentNameServer,
  await findObstacle(),
);
