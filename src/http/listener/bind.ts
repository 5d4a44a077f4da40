/** Binds a server to a TCP port or a unix socket. */
import { chmod, lstat, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { vpError } from '../../errors/vp-error.ts';

/** Port 0 selects a free port. A socket file gets `mode` (default 0o600); its folder must exist. */
export type ListenAddress =
  | { readonly host: string; readonly port: number; readonly socketPath?: undefined }
  | { readonly socketPath: string; readonly mode?: number; readonly host?: undefined };

/** `url` is reachable from this machine; that of a socket starts with `unix:`. */
export type BoundAddress = {
  readonly address: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  readonly url: string;
};

/** Throws LISTEN_ADDRESS_TAKEN, or LISTEN_REFUSED for any other error of the system. */
export async function bindServer(server: Server, address: ListenAddress): Promise<BoundAddress> {
  if (address.socketPath !== undefined) return bindSocket(server, address.socketPath, address.mode ?? 0o600);
  const host = address.host.replace(/^\[(.*)\]$/, '$1');
  await listenOn(server, { host, port: address.port }, `${bracketIpv6(host)}:${address.port}`);
  const boundTo = server.address();
  const port = typeof boundTo === 'object' && boundTo !== null ? boundTo.port : address.port;
  return { address: { host, port }, url: `http://${bracketIpv6(toReachableHost(host))}:${port}` };
}

function bracketIpv6(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function toReachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function bindSocket(server: Server, socketPath: string, mode: number): Promise<BoundAddress> {
  if (await isStaleSocket(socketPath)) await unlink(socketPath);
  await listenOn(server, { path: socketPath }, socketPath);
  await chmod(socketPath, mode);
  return { address: { socketPath }, url: `unix:${socketPath}` };
}

/** True for the socket file of a killed process: it exists, and connections are refused. */
async function isStaleSocket(socketPath: string): Promise<boolean> {
  const stats = await lstat(socketPath).catch(() => undefined);
  return stats?.isSocket() === true && (await isUnanswered(socketPath));
}

function isUnanswered(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
  });
}

function listenOn(
  server: Server,
  address: { host: string; port: number } | { path: string },
  displayAddress: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: unknown): void => reject(toListenError(error, displayAddress));
    server.once('error', onError);
    try {
      server.listen(address, () => {
        server.off('error', onError);
        resolve();
      });
    } catch (error) {
      // An invalid port is thrown synchronously.
      server.off('error', onError);
      onError(error);
    }
  });
}

const problemsByCode: Readonly<Record<string, string>> = {
  EACCES: 'this user lacks the permission',
  EPERM: 'this user lacks the permission',
  ERR_SOCKET_BAD_PORT: 'a port must be an integer from 0 to 65535',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the host name is unknown',
  ENOENT: 'the folder does not exist',
  ENOTSOCK: 'a file that is not a socket exists at this path',
  ENAMETOOLONG: 'the path is too long',
  EINVAL: 'the path is too long or invalid',
};

function toListenError(error: unknown, address: string) {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const context = { detail: String(error), cause: error };
  if (code === 'EADDRINUSE') return vpError('LISTEN_ADDRESS_TAKEN', { address }, context);
  return vpError(
    'LISTEN_REFUSED',
    { address, problem: problemsByCode[code] ?? (code || 'the operating system refused') },
    context,
  );
}
