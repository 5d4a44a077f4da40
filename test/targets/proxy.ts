/** A forward proxy: absolute requests and CONNECT tunnels, counted. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { portOf } from './raw-target.ts';

/** A listening proxy; `asked` holds what it was asked for. */
export type Proxy = { readonly url: string; readonly asked: string[]; close(): Promise<void> };

/** Listens on a free port. Every host is taken for 127.0.0.1, so that names need not resolve. */
export async function forwardProxy(): Promise<Proxy> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const { port, pathname, search } = new URL(incoming.url ?? '');
    asked.push(`${incoming.method} ${incoming.url}`);
    const onward = request({ host: '127.0.0.1', port, path: pathname + search, method: incoming.method }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming, socket) => {
    asked.push(`CONNECT ${incoming.url}`);
    const onward = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.on('close', () => onward.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    asked,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
