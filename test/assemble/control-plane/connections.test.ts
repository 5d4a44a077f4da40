/** A control plane has room for the streams of as many clients of hubs as `--hub-sessions` says. */
import { once } from 'node:events';
import { connect } from 'node:net';
import t from 'tap';
import { countConnections, startControlPlane } from '../../../src/assemble/control-plane/control-plane.ts';
import { processEnvironment } from '../../../src/environment/environment.ts';
import { defaultListenerLimits } from '../../../src/http/listener/limits.ts';
import { createMemoryLog } from '../../http/memory-log.ts';

const upstreams = {
  allowPrivate: false,
  extraRoots: [],
  commands: new Map(),
  commandsFile: undefined,
  unsafeStdio: false,
};

t.test('each session and each client without one may have a stream, besides everything else', async (t) => {
  const { log: memoryLog } = createMemoryLog();
  const log = { ...memoryLog, info: () => undefined, debug: () => undefined };
  const environment = { ...processEnvironment(), variables: {} };
  const options = { environment, folder: t.testdir(), host: '127.0.0.1', port: 0, log };
  t.equal(countConnections(options), defaultListenerLimits.connections + 2 * 4000);
  const small = { ...options, upstreams: { ...upstreams, maxSessions: 150 } };
  const plane = await startControlPlane(small);
  t.teardown(() => plane.close());
  const port = Number(new URL(plane.url).port);
  const sockets = Array.from({ length: countConnections(small) - 1 }, () => connect(port, '127.0.0.1'));
  t.teardown(() => sockets.forEach((socket) => void socket.destroy()));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  t.equal((await fetch(`${plane.url}/healthz`)).status, 200);
});
