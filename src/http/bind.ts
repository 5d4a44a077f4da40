/** Takes an address: a TCP port, or a unix socket. */
import { chmod, lstat, unlink } from 'node:fs/promises';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { vpError } from '../errors/vp-error.ts';

/** Port 0 takes a free one. A socket file gets `mode` (0o600 unless said otherwise); its folder must exist. */
export type ListenAt =
  | { readonly host: string; readonly port: number; readonly socketPath?: undefined }
  | { readonly socketPath: string; readonly mode?: number; readonly host?: undefined };

/** What was taken. `url` is how this machine reaches it; a socket's begins with `unix:`. */
export type ListeningAt = {
  readonly address: { readonly host: string; readonly port: number } | { readonly socketPath: string };
  readonly url: string;
};

/** Lets `server` listen. Throws LISTEN_ADDRESS_TAKEN, or LISTEN_REFUSED for whatever else the system objects to. */
export async function bind(server: Server, at: ListenAt): Promise<ListeningAt> {
  if (at.socketPath !== undefined) return bindSocket(server, at.socketPath, at.mode ?? 0o600);
  const host = at.host.replace(/^\[(.*)\]$/, '$1');
  await attempt(server, { host, port: at.port }, `${bracketed(host)}:${at.port}`);
  const taken = server.address();
  const port = typeof taken === 'object' && taken !== null ? taken.port : at.port;
  return { address: { host, port }, url: `http://${bracketed(reachable(host))}:${port}` };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

async function bindSocket(server: Server, socketPath: string, mode: number): Promise<ListeningAt> {
  if (await isLeftOver(socketPath)) await unlink(socketPath);
  await attempt(server, { path: socketPath }, socketPath);
  await chmod(socketPath, mode);
  return { address: { socketPath }, url: `unix:${socketPath}` };
}

/** True for the socket file of a process that was killed: it is there, and nobody answers. */
async function isLeftOver(socketPath: string): Promise<boolean> {
  const found = await lstat(socketPath).catch(() => undefined);
  return found?.isSocket() === true && (await isSilent(socketPath));
}

function isSilent(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socketPath);
    probe.once('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED'));
  });
}

function attempt(
  server: Server,
  at: { host: string; port: number } | { path: string },
  address: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: unknown): void => reject(faultOf(error, address));
    server.once('error', failed);
    try {
      server.listen(at, () => {
        server.off('error', failed);
        resolve();
      });
    } catch (error) {
      // What is no port at all is thrown at once.
      server.off('error', failed);
      failed(error);
    }
  });
}

const problems: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  ERR_SOCKET_BAD_PORT: 'a port is a whole number from 0 to 65535',
  EADDRNOTAVAIL: 'this machine does not have that address',
  ENOTFOUND: 'the name is not known',
  ENOENT: 'the folder does not exist',
  ENOTSOCK: 'there is a file that is not a socket',
  ENAMETOOLONG: 'the path is too long',
  EINVAL: 'the path is too long or not valid',
};

function faultOf(error: unknown, address: string) {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const context = { detail: String(error), cause: error };
  if (code === 'EADDRINUSE') return vpError('LISTEN_ADDRESS_TAKEN', { address }, context);
  return vpError('LISTEN_REFUSED', { address, problem: problems[code] ?? (code || 'the system refused') }, context);
}
