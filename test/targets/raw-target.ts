/** A target that is nothing but a TCP listener: the test writes every byte. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A listening target. `connections` and `requests` count what reached it; `requests` counts blank lines after headers. */
export type RawTarget = {
  readonly origin: string;
  readonly port: number;
  connections(): number;
  requests(): number;
  close(): Promise<void>;
};

/** What it does with one connection; `request` is called with the text of each chunk that ends a header block. */
export type Behaviour = (socket: Socket, connection: number) => void;

/** Port of a server that listens. */
export function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server does not listen on a port');
  return address.port;
}

/** Listens on a free port of 127.0.0.1. */
export async function rawTarget(behaviour: Behaviour): Promise<RawTarget> {
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
  const port = portOf(server);
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

/** Answers every request with `bytes`, whatever they are. */
export function answering(bytes: string | Buffer): Behaviour {
  return (socket) => socket.on('data', () => socket.write(bytes));
}

/** A port on which nothing listens. */
export async function closedPort(): Promise<number> {
  const target = await rawTarget(() => {});
  await target.close();
  return target.port;
}
