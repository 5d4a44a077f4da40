/** A replica whose database goes away while it starts, at each message that it sends: it says what happened, or serves. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { skipWithoutPostgres } from '../postgres/programs.ts';
import { createTestDatabase } from '../postgres/test-database.ts';
import { getPort } from '../targets/raw-target.ts';
import { sandboxTest } from './sandbox.ts';

/** Passes on `limit` messages of clients, and then ends all connections, also new ones. */
async function startCuttingProxy(t: Test, database: URL) {
  const state = { left: Number.POSITIVE_INFINITY };
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect({ host: database.hostname, port: Number(database.port) });
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    if (state.left <= 0) near.destroy();
    far.pipe(near);
    near.on('data', (chunk) => {
      state.left -= 1;
      if (state.left >= 0) far.write(chunk);
      else for (const socket of sockets) socket.destroy();
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => server.close());
  const url = new URL(database);
  url.port = String(getPort(server));
  return { url: url.href, state };
}

const maxMessages = 200;

sandboxTest(
  'a replica says what is wrong wherever its database goes away while it starts',
  async (t, sandbox) => {
    const { url: databaseUrl } = await createTestDatabase(t);
    const proxy = await startCuttingProxy(t, new URL(databaseUrl));
    const codes: string[] = [];
    for (let limit = 0; limit < maxMessages; limit += 1) {
      proxy.state.left = limit;
      const line = ['serve', '--json', '--port', '0', '--data', join(sandbox.folder, 'replica')];
      const running = sandbox.vp(line, { variables: { VP_DATABASE: proxy.url } });
      const outcome = await Promise.race([
        running.waitForOutput(/"event":"listening"/).then(() => undefined),
        running.ended,
      ]).catch(() => running.ended);
      if (!outcome) {
        await running.kill();
        break;
      }
      codes.push(/"code":"([A-Z_]+)"/.exec(`${outcome.stdout}${outcome.stderr}`)?.[1] ?? 'none');
    }
    t.ok(codes.length > 5 && codes.length < maxMessages, `${codes.length} starts failed, and then one served`);
    t.strictSame(
      codes.filter((code) => !code.startsWith('STORE_DATABASE_')),
      [],
    );
  },
  skipWithoutPostgres,
);
