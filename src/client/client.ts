/** Typed calls to the control plane: everything of /api/v1 that a person's credential may do. Runs in a browser too. */
import type { ChangeEvent } from '../contract/api.ts';
import { type AgentTokensClient, agentTokensOf } from './agent-tokens.ts';
import { type EventsOptions, eventsOf } from './events.ts';
import { type HubAuditClient, hubAuditOf } from './hub-audit.ts';
import { type HubConnectClient, hubConnectOf } from './hub-connect.ts';
import { type HubPolicyClient, hubPolicyOf } from './hub-policy.ts';
import { type HubsClient, hubsOf } from './hubs.ts';
import { type InstancesClient, instancesOf } from './instances.ts';
import { type Pause, pause } from './pause.ts';
import { type RunsClient, runsOf } from './runs.ts';
import { type ScenariosClient, scenariosOf } from './scenarios.ts';
import { type StatisticsClient, statisticsOf } from './statistics.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

/** Where the control plane is; `pause` waits between attempts (by the runtime's timers unless given). */
export type ClientOptions = TransportOptions & { readonly pause?: Pause };

/**
 * The control plane as its callers see it. Calls throw what the control plane refused with (its codes, words and
 * diagnostics), CONTROL_PLANE_UNREACHABLE, CONTROL_PLANE_FAULT, CONTROL_PLANE_ANSWER_UNEXPECTED, and the reason of an
 * aborted signal as it is.
 */
export type Client = {
  readonly transport: Transport;
  readonly pause: Pause;
  readonly instances: InstancesClient;
  readonly scenarios: ScenariosClient;
  readonly runs: RunsClient;
  readonly statistics: StatisticsClient;
  readonly agentTokens: AgentTokensClient;
  readonly hubs: HubsClient;
  readonly hubAudit: HubAuditClient;
  readonly hubConnect: HubConnectClient;
  readonly hubPolicy: HubPolicyClient;
  /** Changes as they happen, without a gap across reconnections; ends when the signal is aborted. */
  events(options?: EventsOptions): AsyncGenerator<ChangeEvent, undefined>;
};

/** Makes a client; nothing is called yet. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport(options);
  const parts = { transport, pause: options.pause ?? pause };
  return {
    ...parts,
    instances: instancesOf(transport),
    scenarios: scenariosOf(transport),
    runs: runsOf(transport),
    statistics: statisticsOf(transport),
    agentTokens: agentTokensOf(transport),
    hubs: hubsOf(transport),
    hubAudit: hubAuditOf(transport),
    hubConnect: hubConnectOf(transport),
    hubPolicy: hubPolicyOf(transport),
    events: (wanted) => eventsOf(parts, wanted),
  };
}
