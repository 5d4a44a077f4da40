/** The control plane as a role: store, control, identity, HTTP app, listener, metrics, keys. */
import { join } from 'node:path';
import type { ControlSettings } from '../control/context.ts';
import type { Control } from '../control/control.ts';
import { openControl } from '../control/open.ts';
import type { Environment } from '../environment/environment.ts';
import { version } from '../environment/version.ts';
import { VpError } from '../errors/vp-error.ts';
import { type Handler, type Listening, listen } from '../http/listen.ts';
import type { AuditSettings } from '../hub/audit/settings.ts';
import type { HubSettings } from '../hub/hubs-context.ts';
import type { HubService } from '../hub/hubs-service.ts';
import type { Identity } from '../identity/identity.ts';
import type { IdentitySettings } from '../identity/settings.ts';
import { setupLinkFile, setupUrl } from '../identity/setup.ts';
import type { SingleSignOnSettings } from '../identity/single-sign-on/settings.ts';
import { openMetrics } from '../metrics/metrics.ts';
import { createServerApp } from '../server/app.ts';
import { consoleAssets } from '../server/console-assets.ts';
import { executorDoor } from '../server/executor-door.ts';
import { hubAuditRoutes } from '../server/hub-audit.ts';
import { hubUsedRoutes } from '../server/hub-connections-used.ts';
import { hubGatewayRoutes } from '../server/hub-gateway.ts';
import { hubPolicyRoutes } from '../server/hub-policy.ts';
import { measuredControl } from '../server/measured-control.ts';
import { memoryRoutes } from '../server/memory.ts';
import { oauthHandler } from '../server/oauth-handler.ts';
import { createRate } from '../server/rate.ts';
import type { ServerRoute } from '../server/route.ts';
import { serverRoutes } from '../server/routes.ts';
import { scriptAccess } from '../server/script-access.ts';
import { keepAddress } from '../store/control/identity-links.ts';
import { type ExecutorSocket, openExecutorSocket } from './executor-socket.ts';
import { openHubService } from './hub.ts';
import { type HubGateway, openHubGateway, type UpstreamSettings } from './hub-gateway.ts';
import { openIdentity } from './identity.ts';
import { type MemoryRole, openMemoryRole } from './memory.ts';
import type { ProcessLog } from './process-log.ts';
import { openRegistry, openRegistryRoutes, type RegistryChoice } from './registry.ts';

/** Where it listens and keeps its store; `publicUrl` is how others reach it, when not by the listener's own address. */
export type ControlPlaneOptions = {
  readonly environment: Environment;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: URL | undefined;
  readonly settings?: Partial<ControlSettings>;
  readonly identitySettings?: Partial<IdentitySettings>;
  readonly hubSettings?: Partial<HubSettings>;
  readonly upstreams?: UpstreamSettings | undefined;
  /** Documents of programs come from public addresses; tests have theirs on this machine. No flag sets it. */
  readonly clientDocuments?: { readonly allowPrivate: boolean } | undefined;
  readonly auditSettings?: Partial<AuditSettings>;
  readonly registry?: RegistryChoice | undefined;
  /** An outside provider to sign in with. */
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  /** Addresses of proxies that say truly where a request comes from; this machine's own are known. */
  readonly proxies?: readonly string[];
  /** Origins whose scripts may reach what `scriptAccess` names. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Also listen on a unix socket for containers of this machine. */
  readonly executorSocket?: boolean | undefined;
  readonly log: ProcessLog;
};

/** A running control plane. */
export type ControlPlane = {
  readonly url: string;
  /** With the metrics of its runs; for roles in the same process. */
  readonly control: Control;
  readonly identity: Identity;
  readonly hub: HubService;
  /** Opens everything until there is a first owner; undefined from then on. */
  readonly ownerKey: string | undefined;
  readonly ownerKeyFile: string;
  /** The socket for containers of this machine; undefined where there is none. */
  readonly executorSocket: string | undefined;
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
    documents: { ...options.clientDocuments, extraRoots: options.upstreams?.extraRoots },
    endedFiles: [ownerKeyFile, setupLinkFile(folder)],
    log,
  };
  const identity = openIdentity(place);
  const hub = openHubService({ control, identity, environment, settings: options.hubSettings, log });
  let gateway: HubGateway | undefined;
  let memory: MemoryRole | undefined;
  try {
    // Keys first: where they cannot be used, no other file is touched.
    const ownerKey = (await identity.setup.needed()) ? await control.serviceKey('owner') : undefined;
    await control.serviceKey('scrape');
    const gatewayPlace = {
      folder,
      control,
      identity,
      hub,
      environment,
      settings: options.upstreams,
      auditSettings: options.auditSettings,
      log,
    };
    memory = openMemoryRole({ folder, environment, log });
    gateway = await openHubGateway({ ...gatewayPlace, memory: memory.connection, address: () => address });
    const metrics = await openMetrics(true);
    const measured = measuredControl(control, metrics);
    const opened = gateway;
    const remembering = memory;
    const registryPlace = { control, identity, environment, choice: options.registry };
    const registry = openRegistryRoutes(openRegistry(registryPlace), registryPlace);
    const listening = await serve(options, { control: measured, identity, hub, gateway, memory, metrics, registry });
    const { url, executorSocket } = listening;
    address ||= url;
    await control.database.write((sql) => keepAddress(sql, address));
    const close = once(async () => {
      await Promise.all([listening.close(), opened.drain()]);
      await opened.close();
      await remembering.close();
      hub.close();
      await identity.close();
      await control.close();
    });
    const setupLink = async (): Promise<string | undefined> =>
      (await identity.setup.needed()) ? setupUrl(address, await identity.setup.secret()) : undefined;
    return { url, control: measured, identity, hub, ownerKey, ownerKeyFile, executorSocket, setupLink, close };
  } catch (error) {
    await gateway?.close();
    await memory?.close();
    hub.close();
    await identity.close();
    await control.close();
    throw error;
  }
}

type Parts = {
  control: Control;
  identity: Identity;
  hub: HubService;
  gateway: HubGateway;
  memory: MemoryRole;
  metrics: Awaited<ReturnType<typeof openMetrics>>;
  registry: readonly ServerRoute[];
};

/** From one address: programs ask for tokens every quarter of an hour, and wait for devices every 5 s. */
const oauthCallsAMinute = 300;
/** Where a proxy on this machine calls from. */
const ownAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];

/** How containers call the machine that they run on, by the names that engines give it. */
const containerHostNames = ['host.docker.internal', 'host.containers.internal'];

/** Those of the records, and those of what is opened with a control plane. */
function routesOf({ hub, gateway, memory, registry }: Parts, secret: () => string): ServerRoute[] {
  const { governance } = gateway;
  return [
    ...serverRoutes,
    ...hubAuditRoutes(governance),
    ...hubPolicyRoutes(governance),
    ...hubUsedRoutes({ inUse: gateway.inUse, signIns: gateway.signIns, secret }),
    ...hubGatewayRoutes(() => gateway.front()),
    ...memoryRoutes({ door: hub.door, memory: () => memory.handler() }),
    ...registry,
  ];
}

type Served = Pick<Listening, 'url' | 'close'> & { readonly executorSocket: string | undefined };

async function serve(options: ControlPlaneOptions, parts: Parts): Promise<Served> {
  const { environment, host, port, publicUrl, proxies = [], log } = options;
  const { clock, random } = environment;
  let socket: ExecutorSocket | undefined;
  const shownUrl = publicUrl?.href ?? `http://${host}:${port}`;
  const publicUrls = publicUrl === undefined ? [] : [publicUrl];
  const app = createServerApp({
    ...parts,
    clock,
    log,
    publicUrl: shownUrl,
    publicUrls,
    version,
    routes: routesOf(parts, () => random.token(32)),
    executorSocketFolder: () => socket?.folder,
  });
  const pages = consoleAssets();
  const handler: Parameters<typeof listen>[0]['handler'] = (request, env) => pages(request) ?? app.fetch(request, env);
  // Without a public URL nothing stands between, so nobody is believed about an address.
  const believed = publicUrl === undefined ? [] : [...ownAddresses, ...proxies];
  const tooMany = (address: string): void =>
    parts.identity.tell({ event: 'oauth_calls_limited', level: 'warn', address });
  const raw = oauthHandler(parts.identity.oauth, createRate(clock, oauthCallsAMinute, 60_000, tooMany));
  const door = executorDoor((request, env) => app.fetch(request, env), version);
  const aside = { hostNames: containerHostNames, handler: door };
  const place = { host, port, publicUrls, proxies: believed, crossOrigin: scriptAccess(options.allowOrigins) };
  const listening = await listen({ ...place, handler, raw, aside, clock, random, log });
  socket = await socketFor(options, door);
  const close = async (): Promise<void> => {
    await Promise.all([listening.close(), socket?.close()]);
  };
  return { url: listening.url, executorSocket: socket?.path, close };
}

/** Without it everything else works as ever, so that it stops nothing. */
async function socketFor(options: ControlPlaneOptions, handler: Handler): Promise<ExecutorSocket | undefined> {
  if (!options.executorSocket) return undefined;
  try {
    return await openExecutorSocket({ ...options, handler });
  } catch (error) {
    if (!(error instanceof VpError)) throw error;
    options.log.warn({ code: error.code, cure: error.cure }, error.message);
    return undefined;
  }
}

function once(action: () => Promise<void>): () => Promise<void> {
  let ended: Promise<void> | undefined;
  return () => {
    ended ??= action();
    return ended;
  };
}
