/** The unix socket on which containers of this machine reach the control plane: its folder is what they mount. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { VpError, vpError } from '../errors/vp-error.ts';
import { type Handler, type Listening, listen } from '../http/listen.ts';
import type { ProcessLog } from './process-log.ts';

/** `folder` is the control plane's data folder; `handler` the executors' door. */
export type ExecutorSocketOptions = {
  readonly environment: Pick<Environment, 'clock' | 'random'>;
  readonly folder: string;
  readonly handler: Handler;
  readonly log: ProcessLog;
};

/** An open socket, in a folder of its own. */
export type ExecutorSocket = Pick<Listening, 'close'> & { readonly folder: string; readonly path: string };

/** Longest path of a unix socket on Linux, without the byte that ends it. */
const pathLimitBytes = 107;

/** `<data>/executors/control.sock`. */
export function executorSocketPath(folder: string): string {
  return join(folder, 'executors', 'control.sock');
}

/**
 * Listens, replacing the socket of a start that was killed. Everyone may connect (0666 in a 0755 folder): containers come
 * as users of their own, and the door asks for keys. Rejects with EXECUTOR_SOCKET_UNUSABLE.
 */
export async function openExecutorSocket(options: ExecutorSocketOptions): Promise<ExecutorSocket> {
  const { environment, handler, log } = options;
  const { clock, random } = environment;
  const path = executorSocketPath(options.folder);
  const folder = join(options.folder, 'executors');
  const bytes = Buffer.byteLength(path);
  if (bytes > pathLimitBytes)
    throw unusable(path, `its path has ${bytes} bytes, and the system takes ${pathLimitBytes}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await chmod(folder, 0o755);
    const { close } = await listen({ socketPath: path, mode: 0o666, handler, clock, random, log });
    return { folder, path, close };
  } catch (error) {
    throw unusable(path, error instanceof VpError ? error.message : String(error));
  }
}

function unusable(path: string, problem: string): VpError {
  return vpError('EXECUTOR_SOCKET_UNUSABLE', { path, problem });
}
