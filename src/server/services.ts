/** The services of the control plane's handlers, created in order from what the role has opened. */
import type { SystemReplica } from '../contract/system-api.ts';
import type { Control } from '../control/control.ts';
import type { Clock } from '../environment/clock.ts';
import type { Random } from '../environment/random.ts';
import type { ListenerLog } from '../http/log.ts';
import type { McpHandler } from '../http/mcp-handler.ts';
import type { RouteDescription } from '../http/route.ts';
import type { ApprovalsService } from '../hub/approvals/approval-decisions.ts';
import type { AuditAvailability } from '../hub/audit/audit-writer.ts';
import type { ConnectionTester } from '../hub/connections/connection-tester.ts';
import type { HubEndpoints } from '../hub/gateway/endpoints.ts';
import type { HubServices } from '../hub/hub-services.ts';
import type { GovernanceService } from '../hub/policy/governance-service.ts';
import type { SignInService } from '../hub/sign-in/sign-in-service.ts';
import type { Identity } from '../identity/identity.ts';
import { createSlots, type Slots } from '../limits/concurrency-limiter.ts';
import type { MemoryCaller } from '../memory/memory-connection.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { NotificationsService } from '../notifications/notifications.ts';
import type { Registry } from '../registry/registry.ts';
import { type CallLimiters, type CallRates, createCallLimiters } from './access/call-limiters.ts';
import { OpenapiText } from './description/openapi-document.ts';
import type { ReplicaState } from './description/replica-state.ts';
import { defaultEventStreamSettings, type EventStreamSettings } from './events/event-feed.ts';
import { createSharedReads, type SharedReads } from './events/shared-reads.ts';

/** The hub gateway; everything except `governance` and `approvals` is opened at the first call. */
export type HubGatewayServices = {
  /** Audit and policies. */
  readonly governance: GovernanceService;
  /** Calls that wait for an approval. */
  readonly approvals: ApprovalsService;
  /** The MCP endpoints of hubs. */
  endpoints(): Promise<HubEndpoints>;
  /** Use of connections from the console. */
  connectionTester(): Promise<ConnectionTester>;
  signIns(): Promise<SignInService>;
};

export type ServerServices = CallLimiters & {
  readonly control: Control;
  readonly identity: Identity;
  readonly hub: HubServices;
  readonly hubGateway: HubGatewayServices;
  /** The MCP handler is opened at the first call. */
  readonly memory: { handler(): Promise<McpHandler<MemoryCaller>> };
  readonly registry: Registry;
  readonly notifications: NotificationsService;
  readonly clock: Clock;
  readonly random: Pick<Random, 'token'>;
  readonly log: ListenerLog;
  /** Version of this build. */
  readonly version: string;
  /** Public URLs besides loopback; links use the first one. */
  readonly publicUrls: readonly URL[];
  /** Undefined when metrics are off. */
  readonly metrics: Metrics | undefined;
  /** Undefined unless the store is on PostgreSQL. */
  readonly getReplica: (() => ReplicaState) | undefined;
  /** Replicas that live; undefined unless the store is on PostgreSQL. */
  readonly listReplicas: (() => readonly SystemReplica[]) | undefined;
  /** Whether calls through hubs are recorded. */
  readonly getAuditAvailability: (() => AuditAvailability) | undefined;
  readonly events: EventStreamSettings;
  /** Reads that event streams share. */
  readonly sharedReads: SharedReads;
  /** `folder` of the unix socket for containers on this machine; undefined while it is not open. */
  readonly executorSocket: { readonly folder: string | undefined };
  /** Limits the number of open event streams. */
  readonly streamSlots: Slots;
  /** The OpenAPI document. */
  readonly openapi: OpenapiText;
};

export type ServerOptions = Pick<
  ServerServices,
  | 'control'
  | 'identity'
  | 'hub'
  | 'hubGateway'
  | 'memory'
  | 'registry'
  | 'notifications'
  | 'clock'
  | 'random'
  | 'log'
  | 'version'
> & {
  readonly metrics?: Metrics | undefined;
  readonly getReplica?: ServerServices['getReplica'];
  readonly listReplicas?: ServerServices['listReplicas'];
  readonly getAuditAvailability?: ServerServices['getAuditAvailability'];
  /** Server URL of the OpenAPI document. */
  readonly publicUrl: string;
  /** Public URLs besides loopback; requests from their origins are accepted. */
  readonly publicUrls?: readonly URL[];
  readonly executorSocket?: ServerServices['executorSocket'];
  readonly events?: Partial<EventStreamSettings>;
  readonly callRates?: Partial<CallRates>;
  /** Checks responses against their schemas (tests only). */
  readonly checkResponses?: boolean;
};

type DocumentedRoute = RouteDescription & { readonly action: string };

/** `routes` are those of the OpenAPI document. */
export function createServices(options: ServerOptions, routes: readonly DocumentedRoute[]): ServerServices {
  const { control, identity, hub, hubGateway, memory, registry, notifications } = options;
  const { clock, random, log, version, metrics } = options;
  const events = { ...defaultEventStreamSettings, ...options.events };
  return {
    ...{
      control,
      identity,
      hub,
      hubGateway,
      memory,
      registry,
      notifications,
      clock,
      random,
      log,
      version,
      metrics,
      events,
    },
    publicUrls: options.publicUrls ?? [],
    getReplica: options.getReplica,
    listReplicas: options.listReplicas,
    getAuditAvailability: options.getAuditAvailability,
    sharedReads: createSharedReads(control.changes),
    executorSocket: options.executorSocket ?? { folder: undefined },
    streamSlots: createSlots(events.maxStreams),
    ...createCallLimiters(clock, options.callRates ?? {}, (event) => identity.logSecurityEvent(event)),
    openapi: new OpenapiText(routes, version, options.publicUrl),
  };
}
