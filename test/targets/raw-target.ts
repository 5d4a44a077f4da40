/** A TCP listener as a target: the test writes every byte. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** `connections` and `requests` count what arrived; `requests` counts the blank lines after headers. */
export type RawTarget = {
  readonly origin: string;
  readonly port: number;
  connections(): number;
  requests(): number;
  close(): Promise<void>;
};

/** Handles one connection. */
export type Behaviour = (socket: Socket, connection: number) => void;

/** The port of a listening server. */
export function getPort(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** Listens on a free port of 127.0.0.1. */
export async function startRawTarget(behaviour: Behaviour): Promise<RawTarget> {
  const sockets = new Set<Socket>();
  let connections = 0;
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    connections += 1;
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      if (chunk.includes('\r\n\r\n')) requests += 1;
    });
    behaviour(socket, connections);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = getPort(server);
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    connections: () => connections,
    requests: () => requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Responds to every request with `bytes`, whatever they are. */
export function respondWith(bytes: string | Buffer): Behaviour {
  return (socket) => socket.on('data', () => socket.write(bytes));
}
