/** The executor's own listener: direct runs and its status, for whoever has its key. */
import { join } from 'node:path';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import type { Executor } from '../executor/executor.ts';
import { createLocalApi, keyCheck, localApiLimits } from '../executor/local-api.ts';
import { type Listening, listen } from '../http/listen.ts';
import { readKeyFile, writeKeyFile } from '../secrets/key-file.ts';
import type { ProcessLog } from './process-log.ts';

/** Where it listens; the key is kept in `folder`. */
export type ExecutorApiOptions = {
  readonly environment: Environment;
  readonly executor: Executor;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly log: ProcessLog;
};

/** `key` opens it; nothing else does. */
export type ExecutorApi = Listening & { readonly key: string };

/** The key of earlier starts, or a new one: 256 bits in `<folder>/direct.key`, mode 0600. */
function directKey(folder: string, { random }: Environment): string {
  const file = join(folder, 'direct.key');
  const kept = readKeyFile(file);
  if (kept !== undefined) return kept;
  const key = `vpd_${random.token(32)}`;
  writeKeyFile(file, key);
  return key;
}

/** Starts to listen. Rejects with LISTEN_*. */
export async function listenForDirectRuns(options: ExecutorApiOptions): Promise<ExecutorApi> {
  const { environment, executor, folder, host, port, log } = options;
  const { clock, random } = environment;
  const key = directKey(folder, environment);
  const app = createLocalApi({ executor, version, authenticate: keyCheck(key), clock, log });
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => app.fetch(request, env);
  const listening = await listen({ host, port, handler, clock, random, log, limits: localApiLimits });
  return { ...listening, key };
}
