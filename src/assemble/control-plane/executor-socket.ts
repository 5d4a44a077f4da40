/** The unix socket through which containers on this machine reach the control plane; they mount its folder. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../environment/environment.ts';
import { VpError, vpError } from '../../errors/vp-error.ts';
import { type HttpListener, listen } from '../../http/listener/listen.ts';
import type { RequestHandler } from '../../http/listener/request-listener.ts';
import type { ProcessLog } from '../process-log.ts';

/** `folder` is the control plane's data folder; `handler` the executor gate. */
export type ExecutorSocketOptions = {
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly folder: string;
  readonly handler: RequestHandler;
  readonly log: ProcessLog;
};

export type ExecutorSocket = Pick<HttpListener, 'close'> & { readonly folder: string; readonly path: string };

/** Longest path of a unix socket on Linux, without the terminating byte. */
const pathLimitBytes = 107;

/** `<data>/executors/control.sock`. */
export function getExecutorSocketPath(folder: string): string {
  return join(folder, 'executors', 'control.sock');
}

/**
 * Listens, replacing the socket of a killed process. Everyone may connect (0666 in a 0755 folder): containers run as users
 * of their own, and the gate requires keys. Rejects with EXECUTOR_SOCKET_UNUSABLE.
 */
export async function openExecutorSocket(options: ExecutorSocketOptions): Promise<ExecutorSocket> {
  const { environment, handler, log } = options;
  const { clock, random } = environment;
  const path = getExecutorSocketPath(options.folder);
  const folder = join(options.folder, 'executors');
  const bytes = Buffer.byteLength(path);
  if (bytes > pathLimitBytes)
    throw createSocketUnusableError(path, `its path has ${bytes} bytes, and the limit is ${pathLimitBytes}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await chmod(folder, 0o755);
    const { close } = await listen({ socketPath: path, mode: 0o666, handler, clock, random, log });
    return { folder, path, close };
  } catch (error) {
    throw createSocketUnusableError(path, error instanceof VpError ? error.message : String(error));
  }
}

/** The socket of a control plane. A failure to open it is only logged: everything else works without it. */
export class ExecutorSocketService {
  #socket: ExecutorSocket | undefined;

  /** Undefined while it is not open. */
  get folder(): string | undefined {
    return this.#socket?.folder;
  }

  get path(): string | undefined {
    return this.#socket?.path;
  }

  async open(options: ExecutorSocketOptions): Promise<void> {
    try {
      this.#socket = await openExecutorSocket(options);
    } catch (error) {
      if (!(error instanceof VpError)) throw error;
      options.log.warn({ code: error.code, cure: error.cure }, error.message);
    }
  }

  async close(): Promise<void> {
    await this.#socket?.close();
  }
}

function createSocketUnusableError(path: string, problem: string): VpError {
  return vpError('EXECUTOR_SOCKET_UNUSABLE', { path, problem });
}
