/** The control plane as a role: store, control, identity, HTTP app, listener, metrics, keys. */
import { join } from 'node:path';
import type { ControlSettings } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import { openControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { type Listening, listen } from '../http/listen.ts';
import type { Identity } from '../identity/identity.ts';
import type { IdentitySettings } from '../identity/settings.ts';
import { setupLinkFile, setupUrl } from '../identity/setup.ts';
import type { SingleSignOnSettings } from '../identity/single-sign-on/settings.ts';
import { openMetrics } from '../metrics/metrics.ts';
import { createServerApp } from '../server/app.ts';
import { consoleAssets } from '../server/console-assets.ts';
import { measuredControl } from '../server/measured-control.ts';
import { oauthHandler } from '../server/oauth-handler.ts';
import { createRate } from '../server/rate.ts';
import { keepAddress } from '../store/control/identity-links.ts';
import { openIdentity } from './identity.ts';
import type { ProcessLog } from './process-log.ts';

/** Where it listens and keeps its store; `publicUrl` is how others reach it, when not by the listener's own address. */
export type ControlPlaneOptions = {
  readonly environment: Environment;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: URL | undefined;
  readonly settings?: Partial<ControlSettings>;
  readonly identitySettings?: Partial<IdentitySettings>;
  /** An outside provider to sign in with. */
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  /** Addresses of proxies that say truly where a request comes from; this machine's own are known. */
  readonly proxies?: readonly string[];
  readonly log: ProcessLog;
};

/** A running control plane. */
export type ControlPlane = {
  readonly url: string;
  /** With the metrics of its runs; for roles in the same process. */
  readonly control: Control;
  readonly identity: Identity;
  /** Opens everything until there is a first owner; undefined from then on. */
  readonly ownerKey: string | undefined;
  readonly ownerKeyFile: string;
  /** A new link that makes the first owner; undefined when there is one. */
  setupLink(): Promise<string | undefined>;
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
  const ownerKeyFile = join(folder, 'owner.key');
  let address = options.publicUrl?.origin ?? '';
  const place = {
    control,
    environment,
    issuer: () => address,
    settings: options.identitySettings,
    singleSignOn: options.singleSignOn,
    endedFiles: [ownerKeyFile, setupLinkFile(folder)],
    log,
  };
  const identity = openIdentity(place);
  try {
    const ownerKey = (await identity.setup.needed()) ? await control.serviceKey('owner') : undefined;
    await control.serviceKey('scrape');
    const metrics = await openMetrics(true);
    const measured = measuredControl(control, metrics);
    const listening = await serve(options, { control: measured, identity, metrics });
    const { url } = listening;
    address ||= url;
    await control.database.write((sql) => keepAddress(sql, address));
    const close = once(async () => {
      await listening.close();
      identity.close();
      await control.close();
    });
    const setupLink = async (): Promise<string | undefined> =>
      (await identity.setup.needed()) ? setupUrl(address, await identity.setup.secret()) : undefined;
    return { url, control: measured, identity, ownerKey, ownerKeyFile, setupLink, close };
  } catch (error) {
    identity.close();
    await control.close();
    throw error;
  }
}

type Parts = { control: Control; identity: Identity; metrics: Awaited<ReturnType<typeof openMetrics>> };

/** From one address: programs ask for tokens every quarter of an hour, and wait for devices every 5 s. */
const oauthCallsAMinute = 300;
/** Where a proxy on this machine calls from. */
const ownAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

function serve(
  { environment, host, port, publicUrl, proxies = [], log }: ControlPlaneOptions,
  parts: Parts,
): Promise<Listening> {
  const { clock, random } = environment;
  const shownUrl = publicUrl?.href ?? `http://${host}:${port}`;
  const publicUrls = publicUrl === undefined ? [] : [publicUrl];
  const app = createServerApp({ ...parts, clock, log, publicUrl: shownUrl, publicUrls, version });
  const pages = consoleAssets();
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => pages(request) ?? app.fetch(request, env);
  // Without a public URL nothing stands between, so nobody is believed about an address.
  const believed = publicUrl === undefined ? [] : [...ownAddresses, ...proxies];
  const tooMany = (address: string): void =>
    parts.identity.tell({ event: 'oauth_calls_limited', level: 'warn', address });
  const raw = oauthHandler(parts.identity.oauth, createRate(clock, oauthCallsAMinute, 60_000, tooMany));
  return listen({ host, port, handler, raw, publicUrls, proxies: believed, clock, random, log });
}

function once(action: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= action();
    return ended;
  };
}
