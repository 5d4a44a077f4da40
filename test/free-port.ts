/** Ports for what must know its port before it listens, or must find nothing there. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to listeners on port 0 and to connections: Linux from 32768 on, others from 49152. */
const [minPort, endPort] = [20_000, 32_000];

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

/**
 * A port of 127.0.0.1 on which nothing listens. One that the system chose would be given to the next that asks for any, in another test,
 * and a connection from such a port to itself would even be accepted.
 */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(minPort, endPort);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}
