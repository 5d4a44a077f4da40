/** The control plane role: store, control, identity, HTTP app, listener, metrics, keys. */
import { join } from 'node:path';
import { createClockWarning } from '../../control/clock.ts';
import type { ControlSettings } from '../../control/context.ts';
import type { Control } from '../../control/control.ts';
import { type OpenControl, openControl } from '../../control/open-control.ts';
import type { Environment } from '../../environment/environment.ts';
import { version } from '../../environment/version.ts';
import { defaultListenerLimits } from '../../http/listener/limits.ts';
import { type HttpListener, type ListenOptions, listen } from '../../http/listener/listen.ts';
import type { AuditSettings } from '../../hub/audit/audit-settings.ts';
import { defaultMaxSessions, type HubSettings } from '../../hub/context.ts';
import type { HubServices } from '../../hub/hub-services.ts';
import { getSetupLinkPath } from '../../identity/accounts/setup-link.ts';
import type { Identity } from '../../identity/identity.ts';
import type { IdentitySettings } from '../../identity/settings.ts';
import type { SingleSignOnSettings } from '../../identity/single-sign-on/settings.ts';
import { controlPlaneMetrics as definitions } from '../../metrics/metric-definitions.ts';
import { type Metrics, openMetrics } from '../../metrics/metrics.ts';
import type { NotificationsService } from '../../notifications/notifications.ts';
import type { Registry } from '../../registry/registry.ts';
import { createScriptAccessPolicy } from '../../server/access/script-access.ts';
import { createServerHandlers } from '../../server/app.ts';
import { createMeasuredControl } from '../../server/runs/measured-control.ts';
import type { ServerOptions } from '../../server/services.ts';
import { savePublicAddress } from '../../store/control/identity/links.ts';
import type { PostgresStores } from '../../store/postgres/stores.ts';
import type { ClockJump } from '../../timing/steady-clock.ts';
import { Lazy } from '../lazy.ts';
import type { ProcessLog } from '../process-log.ts';
import type { ApprovalWebhook } from './approval-webhook.ts';
import { ExecutorSocketService } from './executor-socket.ts';
import { openHubService } from './hub.ts';
import { type AuditAnchoring, registerAuditMetrics } from './hub-audit.ts';
import { type HubGateway, openHubGateway } from './hub-gateway.ts';
import { openIdentity } from './identity.ts';
import { type MemoryRole, openMemoryRole } from './memory.ts';
import { openNotificationService } from './notifications.ts';
import { PublicAddress } from './public-address.ts';
import { openRegistry, type RegistrySetup } from './registry.ts';
import type { UpstreamSettings } from './upstream-settings.ts';

/** `folder` is the data folder; `publicUrl` is the URL for others, if it differs from the listener's. */
export type ControlPlaneOptions = Pick<ServerOptions, 'getReplica' | 'listReplicas'> & {
  readonly environment: Environment;
  readonly folder: string;
  readonly host: string;
  readonly port: number;
  readonly publicUrl?: URL | undefined;
  readonly settings?: Partial<ControlSettings>;
  /** The operator says that the clock of the machine is right, although it jumped. */
  readonly isClockConfirmed?: boolean | undefined;
  readonly identitySettings?: Partial<IdentitySettings>;
  readonly hubSettings?: Partial<HubSettings>;
  readonly upstreams?: UpstreamSettings | undefined;
  /** Client metadata documents are fetched from public addresses only; tests allow this machine. No flag sets it. */
  readonly clientDocuments?: { readonly allowPrivate: boolean } | undefined;
  readonly auditSettings?: Partial<AuditSettings>;
  readonly auditAnchoring?: AuditAnchoring | undefined;
  readonly approvalWebhook?: ApprovalWebhook | undefined;
  /** The operator accepts that entries of the audit are lost. */
  readonly isAuditLossAccepted?: boolean | undefined;
  readonly registry?: RegistrySetup | undefined;
  /** An external provider for single sign-on. */
  readonly singleSignOn?: SingleSignOnSettings | undefined;
  /** Addresses of trusted proxies; this machine's own are always trusted. */
  readonly proxies?: readonly string[];
  /** Origins whose scripts may call the paths of `createScriptAccessPolicy`. */
  readonly allowOrigins?: readonly string[] | undefined;
  /** Opens the listener; `listen` by default. */
  readonly openListener?: ((options: ListenOptions) => Promise<Pick<HttpListener, 'url' | 'close'>>) | undefined;
  /** Also listen on a unix socket for containers on this machine. */
  readonly executorSocket?: boolean | undefined;
  /** On PostgreSQL, and closed by their opener; by default files of the folder. */
  readonly stores?: PostgresStores | undefined;
  readonly log: ProcessLog;
};

export type ControlPlane = {
  readonly url: string;
  /** Counts its runs; for roles in the same process. */
  readonly control: Control;
  readonly identity: Identity;
  readonly hub: HubServices;
  /** Allows everything until the first owner exists; undefined from then on. */
  readonly ownerKey: string | undefined;
  readonly ownerKeyFile: string;
  /** Path of the socket for containers on this machine; undefined without one. */
  readonly executorSocket: string | undefined;
  /** A new link that creates the first owner; undefined when there is one. */
  setupLink(): Promise<string | undefined>;
  /** Finishes open requests, then closes the store; further calls return the same promise. */
  close(): Promise<void>;
};

/** Rejects with STORE_*, LISTEN_*; nothing is left open then. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const resources = new AsyncDisposableStack();
  try {
    const services = await openServices(options, resources);
    const { control, identity, hub, ownerKey, gateway, address, executorSocket } = services;
    const { close: closeListeners, url } = await openListeners(options, services);
    address.setListenerUrl(url);
    await control.database.write((sql) => savePublicAddress(sql, address.origin));
    const closing = new Lazy(async () => {
      await Promise.all([closeListeners(), gateway.drain()]);
      await resources.disposeAsync();
    });
    const setupLink = () => address.createSetupLink(identity.setup);
    return {
      ...{ url, identity, hub, ownerKey, setupLink },
      ownerKeyFile: getOwnerKeyFile(options),
      control: services.measuredControl,
      executorSocket: executorSocket.path,
      close: () => closing.get(),
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

type ControlPlaneServices = {
  readonly control: OpenControl;
  readonly measuredControl: Control;
  readonly identity: Identity;
  readonly hub: HubServices;
  readonly ownerKey: string | undefined;
  readonly gateway: HubGateway;
  readonly memory: MemoryRole;
  readonly registry: Registry;
  readonly notifications: NotificationsService;
  readonly metrics: Metrics;
  readonly address: PublicAddress;
  readonly executorSocket: ExecutorSocketService;
};

function getOwnerKeyFile({ folder }: ControlPlaneOptions): string {
  return join(folder, 'owner.key');
}

/** Each service gets those before it; `resources` closes them in the reverse order. */
async function openServices(
  options: ControlPlaneOptions,
  resources: AsyncDisposableStack,
): Promise<ControlPlaneServices> {
  const { folder, log, upstreams, stores } = options;
  const { clock, random, pid, variables } = options.environment;
  const address = new PublicAddress(options.publicUrl);
  const getAddress = (): string => address.origin;
  const control = await openControl({
    ...{ folder, clock, random, pid, settings: options.settings ?? {}, store: stores?.control },
    masterKey: variables.VP_MASTER_KEY,
    isClockConfirmed: options.isClockConfirmed,
    onClockChange: (jump) => logClockChange(log, jump),
    onError: (error) => log.error({ err: error }, 'background work failed'),
    onWait: ({ message }) => log.warn({ folder }, `${message}: waiting until it ends`),
    onRestored: (stores) => log.warn({ stores }, 'a restore that was interrupted has been completed'),
  });
  resources.defer(() => control.close());
  const environment = { ...options.environment, clock: control.clock, random: control.random };
  const identity = openIdentity({
    ...{ control, environment, log, singleSignOn: options.singleSignOn, settings: options.identitySettings },
    issuer: getAddress,
    clientDocuments: { ...options.clientDocuments, extraRoots: upstreams?.extraRoots },
    filesRemovedAfterSetup: [getOwnerKeyFile(options), getSetupLinkPath(folder)],
  });
  resources.defer(() => identity.close());
  const hub = openHubService({ control, identity, environment, settings: options.hubSettings, log });
  resources.defer(() => hub.close());
  // Keys first: if they cannot be used, no other file is touched.
  const ownerKey = (await identity.setup.isNeeded()) ? await control.serviceKey('owner') : undefined;
  await control.serviceKey('scrape');
  const memory = openMemoryRole({ folder, environment, log, database: stores?.memory });
  resources.defer(() => memory.close());
  const gateway = await openHubGateway({
    ...{ folder, control, identity, hub, environment, log },
    settings: upstreams,
    ...{ auditSettings: options.auditSettings, auditAnchoring: options.auditAnchoring },
    approvalWebhook: options.approvalWebhook,
    isAuditLossAccepted: options.isAuditLossAccepted,
    ...{ memory: memory.connection, auditDatabase: stores?.audit },
    address: getAddress,
  });
  resources.defer(() => gateway.close());
  const metrics = await openMetrics(true);
  registerAuditMetrics(metrics, gateway.audit);
  const { getReplica } = options;
  if (getReplica) metrics.gauge(definitions.replicas, async () => [{ labels: {}, value: getReplica().live }]);
  const measuredControl = createMeasuredControl(control, metrics);
  const registry = openRegistry({ control, identity, environment, options: options.registry });
  const notifications = openNotificationService({ control, environment, upstreams, log, address: getAddress });
  resources.defer(() => notifications.close());
  const executorSocket = new ExecutorSocketService();
  return {
    ...{ control, measuredControl, identity, hub, ownerKey, gateway, memory, registry, metrics },
    ...{ notifications, address, executorSocket },
  };
}

function logClockChange(log: ProcessLog, jump: ClockJump | undefined): void {
  if (jump) {
    const { code, message, cure } = createClockWarning(jump);
    log.warn({ code, cure }, message);
  } else log.info({}, 'the clock has settled; what is old is deleted again');
}

/** Each session of a hub may have a stream open, as may each client that listens without one. */
export function countConnections({ upstreams }: ControlPlaneOptions): number {
  const { maxSessions = defaultMaxSessions } = upstreams ?? {};
  return defaultListenerLimits.connections + 2 * maxSessions;
}

/** Addresses of a proxy on this machine. */
const ownAddresses = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
/** Host names that container engines give to the host machine. */
const containerHostNames = ['host.docker.internal', 'host.containers.internal'];

async function openListeners(
  options: ControlPlaneOptions,
  services: ControlPlaneServices,
): Promise<Pick<HttpListener, 'url' | 'close'>> {
  const { environment, host, port, publicUrl, proxies = [], log } = options;
  const { random } = environment;
  const { control, measuredControl, gateway, executorSocket, ...shared } = services;
  const { clock } = control;
  const publicUrls = publicUrl === undefined ? [] : [publicUrl];
  const { handler, raw, executorGate } = createServerHandlers({
    ...{ ...shared, executorSocket, clock, random, log, version, publicUrls },
    control: measuredControl,
    hubGateway: gateway,
    ...{ getReplica: options.getReplica, listReplicas: options.listReplicas },
    getAuditAvailability: () => gateway.audit.availability,
    publicUrl: publicUrl?.href ?? `http://${host}:${port}`,
  });
  const listener = await (options.openListener ?? listen)({
    ...{ host, port, publicUrls, handler, raw, clock, random, log },
    separateHandler: { hostNames: containerHostNames, handler: executorGate },
    // Without a public URL there is no proxy, so no forwarded address is trusted.
    trustedProxies: publicUrl === undefined ? [] : [...ownAddresses, ...proxies],
    crossOrigin: createScriptAccessPolicy(options.allowOrigins),
    limits: { connections: countConnections(options) },
  });
  if (options.executorSocket) await executorSocket.open({ ...options, handler: executorGate });
  const close = async (): Promise<void> => {
    await Promise.all([listener.close(), executorSocket.close()]);
  };
  return { url: listener.url, close };
}
