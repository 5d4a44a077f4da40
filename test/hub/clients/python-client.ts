/** The official Python client, where the interpreter that `VP_TEST_PYTHON` names (`python3` by default) has the package `mcp`. */
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ConnectedClient } from './connected-client.ts';

const python = process.env.VP_TEST_PYTHON ?? 'python3';

type Line = {
  readonly ready?: string;
  readonly id?: number;
  readonly progress?: number;
  readonly result?: unknown;
  readonly error?: string;
};
type OpenCall = PromiseWithResolvers<unknown> & { readonly onprogress: (progress: { progress: number }) => void };

export function hasPythonClient(): boolean {
  return spawnSync(python, ['-c', 'import mcp.client.streamable_http'], { stdio: 'ignore' }).status === 0;
}

/** Connects in the way that `mode` of the Python client names. */
export async function connectPython(
  url: string,
  authorization: string,
  mode: 'auto' | 'legacy',
): Promise<ConnectedClient> {
  const program = join(import.meta.dirname, 'python-client.py');
  const child = spawn(python, [program, url, authorization, mode], { stdio: ['pipe', 'pipe', 'pipe'] });
  const calls = new Map<number, OpenCall>();
  const ready = Promise.withResolvers<void>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  void exited.then(() => {
    const error = new Error(`the Python client has ended: ${stderr.slice(-1000)}`);
    ready.reject(error);
    for (const { reject } of calls.values()) reject(error);
  });
  createInterface({ input: child.stdout }).on('line', (text) => {
    const { ready: revision, id = 0, progress, result, error }: Line = JSON.parse(text);
    if (revision !== undefined) ready.resolve();
    else if (progress !== undefined) calls.get(id)?.onprogress({ progress });
    else if (error === undefined) calls.get(id)?.resolve(result);
    else calls.get(id)?.reject(new Error(error));
  });
  await ready.promise;
  let count = 0;
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    call(name, args, { onprogress = () => {}, signal } = {}) {
      count += 1;
      const id = count;
      const open = { ...Promise.withResolvers<unknown>(), onprogress };
      calls.set(id, open);
      signal?.addEventListener('abort', () => send({ cancel: id }));
      send({ id, name, args });
      return open.promise;
    },
    async close() {
      child.stdin.end();
      child.kill();
      await exited;
    },
  };
}
