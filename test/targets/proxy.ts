/** A forward proxy for absolute requests and CONNECT tunnels; records them. */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { getPort } from './raw-target.ts';

/** `requests` contains what it was asked for. */
export type Proxy = { readonly url: string; readonly requests: string[]; close(): Promise<void> };

/** Listens on a free port. Every host is replaced by 127.0.0.1, so that names need not resolve. */
export async function startForwardProxy(): Promise<Proxy> {
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((incoming, outgoing) => {
    const { port, pathname, search } = new URL(incoming.url ?? '');
    requests.push(`${incoming.method} ${incoming.url}`);
    const onward = request(
      { host: '127.0.0.1', port, path: pathname + search, method: incoming.method },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('connect', (incoming, socket) => {
    requests.push(`CONNECT ${incoming.url}`);
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
    url: `http://127.0.0.1:${getPort(server)}`,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
