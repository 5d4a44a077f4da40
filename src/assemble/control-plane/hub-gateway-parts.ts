/** What calls of hubs need: connections to upstream servers, the gateway, its endpoints and sign-ins. Opened at the first call. */
import { version } from '../../environment/version.ts';
import { UnreadResponses } from '../../hub/access/unread-responses.ts';
import type { ApprovalGate } from '../../hub/approvals/approval-gate.ts';
import type { ApprovalTools } from '../../hub/approvals/approval-tools.ts';
import type { AuditLog } from '../../hub/audit/audit-log.ts';
import type { MemoryPort } from '../../hub/connections/connection.ts';
import type { ConnectionTester } from '../../hub/connections/connection-tester.ts';
import type { HubCallService } from '../../hub/gateway/call-service.ts';
import type { HubEndpoints } from '../../hub/gateway/endpoints.ts';
import type { Gateway } from '../../hub/gateway/gateway.ts';
import type { RefusalBound } from '../../hub/gateway/refusal-bound.ts';
import type { HubServices } from '../../hub/hub-services.ts';
import type { GovernanceService } from '../../hub/policy/governance-service.ts';
import type { SignInRevoker } from '../../hub/sign-in/sign-in-revoker.ts';
import type { SignInContext, SignInService } from '../../hub/sign-in/sign-in-service.ts';
import type { HeldTasks } from '../../hub/tasks/held/held-tasks.ts';
import type { Identity } from '../../identity/identity.ts';
import { createGuardedFetch, type GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { getResourceMetadataUrl } from '../../server/oauth/resource-metadata-routes.ts';
import { createCommandRunnerOptions } from './command-containers.ts';
import type { HubAuditDependencies } from './hub-audit.ts';
import { defaultUpstreamSettings, type UpstreamSettings } from './upstream-settings.ts';

export type GatewayPartsDependencies = Pick<HubAuditDependencies, 'folder' | 'control' | 'environment' | 'log'> & {
  readonly identity: Pick<Identity, 'logSecurityEvent'>;
  readonly hub: HubServices;
  /** For connections of the kind `memory`, which fail without it. */
  readonly memory?: MemoryPort | undefined;
  readonly settings?: UpstreamSettings | undefined;
  /** URL of this control plane for callers. */
  readonly address: () => string;
};

/** What decides, holds and records calls; open since the start. */
export type CallGovernance = {
  readonly audit: AuditLog;
  readonly governance: GovernanceService;
  readonly onFault: (fault: unknown) => void;
  readonly approvalGate: ApprovalGate;
  readonly approvalTools: ApprovalTools;
  readonly heldTasks: HeldTasks;
};

export type OpenGatewayParts = {
  readonly calls: HubCallService;
  readonly endpoints: HubEndpoints;
  readonly connectionTester: ConnectionTester;
  readonly signIns: SignInService;
  readonly revocations: SignInRevoker;
  close(): Promise<void>;
};

const callLimits = { idleMs: 60_000, totalMs: 15 * 60_000 };
const connectTimeoutMs = 10_000;
const maxResponseBytes = 20_000_000;
const defaultListTimeoutMs = 3000;

/** Loaded at the first call of a hub, the MCP SDK among them; a standby loads them before. */
export async function importGatewayParts() {
  const [
    gateway,
    directMemory,
    messageAudit,
    refusalBound,
    hublessServer,
    endpoints,
    tester,
    service,
    pending,
    revoker,
  ] = await Promise.all([
    import('../../hub/gateway/gateway.ts'),
    import('../../hub/gateway/direct-memory.ts'),
    import('../../hub/gateway/message-audit.ts'),
    import('../../hub/gateway/refusal-bound.ts'),
    import('../../hub/gateway/hubless-server.ts'),
    import('../../hub/gateway/endpoints.ts'),
    import('../../hub/connections/connection-tester.ts'),
    import('../../hub/sign-in/sign-in-service.ts'),
    import('../../hub/sign-in/pending-sign-ins.ts'),
    import('../../hub/sign-in/sign-in-revoker.ts'),
  ]);
  return {
    ...{ openGateway: gateway.openGateway, DirectMemory: directMemory.DirectMemory },
    ...{ MessageAudit: messageAudit.MessageAudit, RefusalBound: refusalBound.RefusalBound },
    ...{ createHublessServer: hublessServer.createHublessServer, createHubEndpoints: endpoints.createHubEndpoints },
    ...{ createConnectionTester: tester.createConnectionTester, createSignInService: service.createSignInService },
    ...{ PendingSignIns: pending.PendingSignIns, SignInRevoker: revoker.SignInRevoker },
  };
}

type LoadedParts = Awaited<ReturnType<typeof importGatewayParts>>;

export async function openGatewayParts(
  dependencies: GatewayPartsDependencies,
  governance: CallGovernance,
): Promise<OpenGatewayParts> {
  const loaded = await importGatewayParts();
  const { environment, settings = defaultUpstreamSettings, control, hub } = dependencies;
  const unread = new UnreadResponses(settings.unreadLimits);
  const outboundFetch = createGuardedFetch({
    ...{ allowPrivate: settings.allowPrivate, extraRoots: settings.extraRoots, variables: environment.variables },
    answerLimitBytes: maxResponseBytes,
    mustWait: () => unread.isTotalFull,
  });
  const refusalBound = new loaded.RefusalBound({
    audit: governance.audit,
    clock: control.clock,
    onError: governance.onFault,
  });
  const runnerOptions = await createCommandRunnerOptions(dependencies, settings);
  const shared = { dependencies, governance, outboundFetch, refusalBound };
  const gateway = openCallGateway(loaded, { ...shared, runnerOptions });
  const endpoints = openEndpoints(loaded, { ...shared, gateway, unread });
  const { connectionAccess, hubs, connectionRepository } = hub;
  const { secrets } = connectionRepository;
  const { clock } = control;
  const signIns = openSignIns(loaded, { ...shared, gateway });
  return {
    calls: gateway.calls,
    endpoints,
    connectionTester: loaded.createConnectionTester({ connectionAccess, hubs, gateway, secrets, clock }),
    signIns: signIns.service,
    revocations: signIns.revocations,
    async close() {
      await signIns.close();
      await endpoints.close();
      await outboundFetch.close();
    },
  };
}

type SharedParts = {
  readonly dependencies: GatewayPartsDependencies;
  readonly governance: CallGovernance;
  readonly outboundFetch: GuardedFetch;
  readonly refusalBound: RefusalBound;
};

type RunnerOptions = Awaited<ReturnType<typeof createCommandRunnerOptions>>;

function openCallGateway(
  { openGateway }: LoadedParts,
  {
    dependencies,
    governance,
    outboundFetch,
    refusalBound,
    runnerOptions,
  }: SharedParts & { runnerOptions: RunnerOptions },
): Gateway {
  const { audit, onFault, approvalGate, approvalTools, heldTasks } = governance;
  const { hub, memory, environment, control, settings = defaultUpstreamSettings } = dependencies;
  const { connectionRepository } = hub;
  const shared = { clock: control.clock, random: environment.random, version };
  return openGateway({
    ...shared,
    connectionRepository,
    policy: governance.governance.policy,
    audit: refusalBound.audit,
    approvals: approvalGate,
    approvalTools,
    heldTasks,
    upstream: {
      ...{ ...shared, memory, runnerOptions, commands: settings.commands, secrets: connectionRepository.secrets },
      ...{ request: outboundFetch.request, fetch: outboundFetch.fetch, maxMessageBytes: maxResponseBytes },
      ...{ timeouts: callLimits, connectMs: connectTimeoutMs },
      recordState: (...recorded) => void connectionRepository.recordState(...recorded).catch(onFault),
      recordWarning: (...recorded) => void connectionRepository.recordWarning(...recorded).catch(onFault),
    },
    secret: hub.secret,
    findStoredCaller: hub.findStoredCaller,
    listTimeoutMs: settings.listTimeoutMs ?? defaultListTimeoutMs,
    maxSessions: settings.maxSessions,
    preparesConnections: settings.preparesConnections ?? false,
    async listRecentCalls(hubId, person) {
      const { items } = await audit.search(hubId, { person, limit: 500 });
      return items.filter(({ method, outcome }) => method === 'tools/call' && outcome !== 'denied');
    },
    onError: onFault,
  });
}

function openEndpoints(
  { createHubEndpoints, createHublessServer, DirectMemory, MessageAudit }: LoadedParts,
  {
    dependencies,
    governance,
    refusalBound,
    gateway,
    unread,
  }: SharedParts & { gateway: Gateway; unread: UnreadResponses },
): HubEndpoints {
  const { onFault: onError, approvalGate: approvals } = governance;
  const { hub, memory, environment, control, address } = dependencies;
  const { connectionRepository } = hub;
  const { random } = environment;
  const { clock } = control;
  const decided = { policy: governance.governance.policy, audit: refusalBound.audit, clock };
  return createHubEndpoints({
    authenticator: hub.authenticator,
    onAccessEnded: hub.onAccessEnded,
    gateway,
    directMemory:
      memory && new DirectMemory({ ...decided, connectionRepository, approvals, random, version, memory, onError }),
    messageAudit: new MessageAudit(decided),
    refusalBound,
    unread,
    hublessServer: createHublessServer(clock, version, address),
    clock,
    resourceMetadata: (resource, request) => getResourceMetadataUrl(address(), request, resource),
  });
}

function openSignIns(
  { PendingSignIns, createSignInService, SignInRevoker }: LoadedParts,
  { dependencies, governance, outboundFetch, gateway }: SharedParts & { gateway: Gateway },
) {
  const { hub, identity, environment, control, settings = defaultUpstreamSettings } = dependencies;
  const { connectionAccess, connectionRepository } = hub;
  const { secrets } = connectionRepository;
  const shared = { clock: control.clock, fetch: outboundFetch.fetch };
  const pending = new PendingSignIns<SignInContext>({
    ...{ ...shared, secrets, random: environment.random },
    allowPrivateAddresses: settings.allowPrivate,
  });
  const revocations = new SignInRevoker({
    ...shared,
    logSecurityEvent: (event) => identity.logSecurityEvent(event),
    onError: governance.onFault,
  });
  return {
    service: createSignInService({ connectionAccess, secrets, upstreams: gateway.upstreams, signIns: pending }),
    revocations,
    async close(): Promise<void> {
      pending.close();
      await revocations.close();
    },
  };
}
