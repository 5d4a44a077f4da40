/** The hostile targets of a table behind one address each: for an executor by path, behind a hub by tool. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Test } from 'tap';
import { createRawServer, createTool } from '../hub/fixtures/raw-server.ts';
import type { HostileTarget } from '../targets/hostile/behaviour.ts';
import { getPort } from '../targets/raw-target.ts';

export type HostilePeer = { readonly url: string };

const loopback = '127.0.0.1';
const good = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n{"count":3}';

/** Responds to `GET /<index>` as that target does, and to every other path properly. */
export async function startHostileTargets(t: Test, targets: readonly HostileTarget[]): Promise<HostilePeer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (request: Buffer) => {
      const target = targets[Number(/^GET \/(\d+) /.exec(request.toString('latin1'))?.[1] ?? Number.NaN)];
      if (target) target.respond(socket, () => {}, request.toString('latin1'));
      else socket.write(good);
    });
  });
  server.listen(0, loopback);
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://${loopback}:${getPort(server)}` };
}

/** An MCP server whose tool `hostile<index>` responds as that target does. */
export async function startHostileUpstream(t: Test, targets: readonly HostileTarget[]): Promise<HostilePeer> {
  const tools = targets.map((_, index) => createTool(`hostile${index}`));
  const handle = createRawServer({ tools: () => tools });
  const adapted = createAdaptorServer({ fetch: (request) => handle(request) });
  const server = createHttpServer((incoming, outgoing) => {
    const target = targets[Number(/^hostile(\d+)$/.exec(String(incoming.headers['mcp-name']))?.[1] ?? Number.NaN)];
    if (!target) return void adapted.emit('request', incoming, outgoing);
    incoming.socket.on('error', () => {});
    incoming.resume().on('end', () => target.respond(incoming.socket, () => {}, ''));
  });
  server.listen(0, loopback);
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://${loopback}:${getPort(server)}/mcp` };
}
