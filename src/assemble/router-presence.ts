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

/** Neither rejects: agents are served without, where flags name the way. */
export type Announced = {
  /** Resolves when routers can find it. */
  readonly told: Promise<void>;
  /** Tells that it has stopped. */
  withdraw(): Promise<void>;
};

/** Announces, once the instance is known. */
export function announceExecutor({ environment, welcomed, url, log }: AnnouncedOptions): Announced {
  const { paths, pid, random } = environment;
  const failed = (error: unknown): void => log.warn({ err: error }, 'the router of this machine cannot be told');
  let said: Promise<string> | undefined;
  const told = welcomed.then(async ({ instance }) => {
    said = writePresence(paths, { instance, url, pid, state: 'listening' }, random)
      .catch(failed)
      .then(() => instance);
    await said;
  });
  return {
    told,
    async withdraw() {
      if (said) await endPresence(paths, { instance: await said, pid }, random).catch(failed);
    },
  };
}
