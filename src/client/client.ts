/** Typed calls to the control plane: everything under /api/v1 that a person's credential may do. Runs in a browser too. */
import type { ChangeEvent } from '../contract/api.ts';
import type { SystemState } from '../contract/system-api.ts';
import { type AgentTokensClient, createAgentTokensClient } from './agent-tokens.ts';
import { type EventsOptions, streamEvents } from './events.ts';
import { createFailuresClient, type FailuresClient } from './failures.ts';
import { createHubApprovalsClient, type HubApprovalsClient } from './hubs/approvals.ts';
import { createHubAuditClient, type HubAuditClient } from './hubs/audit.ts';
import { createHubConnectionUseClient, type HubConnectionUseClient } from './hubs/connection-use.ts';
import { createHubsClient, type HubsClient } from './hubs/hubs.ts';
import { createHubPolicyClient, type HubPolicyClient } from './hubs/policy.ts';
import { createHubUsageClient, type HubUsageClient } from './hubs/usage.ts';
import { type ComparisonClient, createComparisonClient, createHealthClient, type HealthClient } from './insight.ts';
import { createInstancesClient, type InstancesClient } from './instances.ts';
import { createNotificationsClient, type NotificationsClient } from './notifications.ts';
import { createRunsClient, type RunsClient } from './runs.ts';
import {
  createQuarantinesClient,
  createScenariosClient,
  type QuarantinesClient,
  type ScenariosClient,
} from './scenarios.ts';
import { createSchedulesClient, type SchedulesClient } from './schedules.ts';
import { createStatisticsClient, type StatisticsClient } from './statistics.ts';
import { createStatusPagesClient, type StatusPagesClient } from './status-pages.ts';
import { createSuitesClient, type SuitesClient } from './suites.ts';
import { apiPath, type CallOptions } from './transport/api-call.ts';
import { createObjectGuard } from './transport/json-response.ts';
import { type Pause, pause } from './transport/pause.ts';
import { createTransport, type Transport, type TransportOptions } from './transport/transport.ts';
import { createViewsClient, type ViewsClient } from './views.ts';

/** `pause` waits between attempts; by default with the runtime's timers. */
export type ClientOptions = TransportOptions & { readonly pause?: Pause };

/**
 * The control plane as its callers see it. Calls throw the control plane's own error (its code, message and diagnostics),
 * CONTROL_PLANE_UNREACHABLE, CONTROL_PLANE_FAULT, CONTROL_PLANE_ANSWER_UNEXPECTED, or the reason of an aborted signal.
 */
export type Client = {
  readonly transport: Transport;
  readonly pause: Pause;
  readonly instances: InstancesClient;
  readonly scenarios: ScenariosClient;
  readonly quarantines: QuarantinesClient;
  readonly runs: RunsClient;
  readonly failures: FailuresClient;
  readonly comparison: ComparisonClient;
  readonly health: HealthClient;
  readonly schedules: SchedulesClient;
  readonly notifications: NotificationsClient;
  readonly suites: SuitesClient;
  readonly views: ViewsClient;
  readonly statusPages: StatusPagesClient;
  readonly statistics: StatisticsClient;
  readonly system: { get(options?: CallOptions): Promise<SystemState> };
  readonly agentTokens: AgentTokensClient;
  readonly hubs: HubsClient;
  readonly hubApprovals: HubApprovalsClient;
  readonly hubAudit: HubAuditClient;
  readonly hubConnectionUse: HubConnectionUseClient;
  readonly hubPolicy: HubPolicyClient;
  readonly hubUsage: HubUsageClient;
  /** Changes as they happen, without gaps across reconnections; ends when the signal is aborted. */
  events(options?: EventsOptions): AsyncGenerator<ChangeEvent, undefined>;
};

/** Does not connect yet. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const dependencies = { transport, pause: options.pause ?? pause };
  return {
    ...dependencies,
    instances: createInstancesClient(transport),
    scenarios: createScenariosClient(transport),
    quarantines: createQuarantinesClient(transport),
    runs: createRunsClient(transport),
    failures: createFailuresClient(transport),
    comparison: createComparisonClient(transport),
    health: createHealthClient(transport),
    schedules: createSchedulesClient(transport),
    notifications: createNotificationsClient(transport),
    suites: createSuitesClient(transport),
    views: createViewsClient(transport),
    statusPages: createStatusPagesClient(transport),
    statistics: createStatisticsClient(transport),
    system: {
      get: (callOptions) =>
        transport.json(
          { method: 'GET', path: apiPath('system'), ...callOptions },
          createObjectGuard<SystemState>('store', 'version'),
        ),
    },
    agentTokens: createAgentTokensClient(transport),
    hubs: createHubsClient(transport),
    hubApprovals: createHubApprovalsClient(transport),
    hubAudit: createHubAuditClient(transport),
    hubConnectionUse: createHubConnectionUseClient(transport),
    hubPolicy: createHubPolicyClient(transport),
    hubUsage: createHubUsageClient(transport),
    events: (eventsOptions) => streamEvents(dependencies, eventsOptions),
  };
}
