/** The control plane as a role: store, control, HTTP app, listener, metrics, keys. */
import { join } from 'node:path';
import type { ControlSettings } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import { openControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type Listening, listen } from '../http/listen.ts';
import { openMetrics } from '../metrics/metrics.ts';
import { createServerApp } from '../server/app.ts';
import { measuredControl } from '../server/measured-control.ts';
import type { ProcessLog } from './process-log.ts';

/** Where it listens and keeps its store; `publicUrl` is how others reach it, when not by the listener's own address. */
export type ControlPlaneOptions = {
  readonly environment: Environment;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: URL | undefined;
  readonly settings?: Partial<ControlSettings>;
  readonly log: ProcessLog;
};

/** A running control plane. */
export type ControlPlane = {
  readonly url: string;
  /** With the metrics of its runs; for roles in the same process. */
  readonly control: Control;
  readonly ownerKey: string;
  readonly ownerKeyFile: string;
  /** Answers what is under way, then closes the store; calling again waits for the same end. */
  close(): Promise<void>;
};

/** Starts. Rejects with STORE_*, LISTEN_*; nothing is left open then. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { environment, folder, log } = options;
  const { clock, random, pid, variables } = environment;
  const onFault = (fault: unknown): void => log.error({ err: fault }, 'background work failed');
  const masterKey = variables.VP_MASTER_KEY;
  const settings = options.settings ?? {};
  const control = await openControl({ folder, clock, random, pid, masterKey, settings, onFault });
  try {
    const ownerKey = await control.serviceKey('owner');
    await control.serviceKey('scrape');
    const metrics = await openMetrics(true);
    const measured = measuredControl(control, metrics);
    const listening = await serve(options, measured, metrics);
    const close = once(async () => {
      await listening.close();
      await control.close();
    });
    return { url: listening.url, control: measured, ownerKey, ownerKeyFile: join(folder, 'owner.key'), close };
  } catch (error) {
    await control.close();
    throw error;
  }
}

function serve(
  { environment, host, port, publicUrl, log }: ControlPlaneOptions,
  control: Control,
  metrics: Awaited<ReturnType<typeof openMetrics>>,
): Promise<Listening> {
  const { clock, random } = environment;
  const shownUrl = publicUrl?.href ?? `http://${host}:${port}`;
  const app = createServerApp({ control, clock, log, metrics, publicUrl: shownUrl, version });
  const publicUrls = publicUrl === undefined ? [] : [publicUrl];
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => app.fetch(request, env);
  return listen({ host, port, handler, publicUrls, clock, random, log });
}

function once(action: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= action();
    return ended;
  };
}
