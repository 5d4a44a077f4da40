/** Lets the router of this machine find an executor: its file is written once its instance is known. */
import type { Environment } from '../environment/environment.ts';
import { endPresence, writePresence } from '../router/presence.ts';
import type { ProcessLog } from './process-log.ts';

/** `welcomed` is settled by the control plane's first answer; `url` is the executor's own listener on this machine. */
export type AnnouncedOptions = {
  readonly environment: Pick<Environment, 'paths' | 'pid' | 'random'>;
  readonly welcomed: Promise<{ readonly instance: string }>;
  readonly url: string;
  readonly log: Pick<ProcessLog, 'warn'>;
};

/** Announces; `withdraw` tells that it has stopped. Neither rejects: agents are served without, where flags name the way. */
export function announceExecutor({ environment, welcomed, url, log }: AnnouncedOptions): { withdraw(): Promise<void> } {
  const { paths, pid, random } = environment;
  const failed = (error: unknown): void => log.warn({ err: error }, 'the router of this machine cannot be told');
  let said: Promise<string> | undefined;
  void welcomed.then(({ instance }) => {
    said = writePresence(paths, { instance, url, pid, state: 'listening' }, random)
      .catch(failed)
      .then(() => instance);
  });
  return {
    async withdraw() {
      if (said) await endPresence(paths, { instance: await said, pid }, random).catch(failed);
    },
  };
}
