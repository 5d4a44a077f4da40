/** Lets the router of this machine find an executor: writes its presence file once its instance is known. */
import type { Environment } from '../../environment/environment.ts';
import { markExecutorStopped, writePresence } from '../../router/presence.ts';
import type { ProcessLog } from '../process-log.ts';

/** `helloResponse` is that of the control plane; `url` is the executor's own listener on this machine. */
export type RouterPresenceOptions = {
  readonly environment: Pick<Environment, 'paths' | 'pid' | 'random'>;
  readonly helloResponse: Promise<{ readonly instance: string }>;
  readonly url: string;
  readonly log: Pick<ProcessLog, 'warn'>;
};

/** Neither promise rejects: a router may also find the executor by its flags. */
export type ExecutorAnnouncement = {
  readonly announced: Promise<void>;
  /** Marks the executor as stopped. */
  withdraw(): Promise<void>;
};

export function announceExecutor({
  environment,
  helloResponse,
  url,
  log,
}: RouterPresenceOptions): ExecutorAnnouncement {
  const { paths, pid, random } = environment;
  const logFailure = (error: unknown): void =>
    log.warn({ err: error }, 'the presence file for the router cannot be written');
  let writtenInstance: Promise<string> | undefined;
  const announced = helloResponse.then(async ({ instance }) => {
    writtenInstance = writePresence(paths, { instance, url, pid, state: 'listening' }, random)
      .catch(logFailure)
      .then(() => instance);
    await writtenInstance;
  });
  return {
    announced,
    async withdraw() {
      if (writtenInstance)
        await markExecutorStopped(paths, { instance: await writtenInstance, pid }, random).catch(logFailure);
    },
  };
}
