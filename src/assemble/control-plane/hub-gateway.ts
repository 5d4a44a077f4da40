/**
 * The hub gateway: audit and policies, and, opened at the first call, the connections to upstream servers.
 *
 * Length: what each part gets of the others is read together.
 */
import { version } from '../../environment/version.ts';
import { type UnreadLimits, UnreadResponses } from '../../hub/access/unread-responses.ts';
import { type ApprovalGate, createApprovalGate } from '../../hub/approvals/approval-gate.ts';
import { ApprovalTools } from '../../hub/approvals/approval-tools.ts';
import type { AuditLog } from '../../hub/audit/audit-log.ts';
import { ChangeRows } from '../../hub/audit/change-rows.ts';
import type { MemoryPort } from '../../hub/connections/connection.ts';
import type { ConnectionTester } from '../../hub/connections/connection-tester.ts';
import type { HubCallService } from '../../hub/gateway/call-service.ts';
import type { HubEndpoints } from '../../hub/gateway/endpoints.ts';
import type { HubServices } from '../../hub/hub-services.ts';
import { createGovernanceService } from '../../hub/policy/governance-service.ts';
import type { SignInRevoker } from '../../hub/sign-in/sign-in-revoker.ts';
import type { SignInContext, SignInService } from '../../hub/sign-in/sign-in-service.ts';
import { HeldTaskSeals } from '../../hub/tasks/held/held-task-record.ts';
import { HeldTaskRunner } from '../../hub/tasks/held/held-task-runner.ts';
import { HeldTasks } from '../../hub/tasks/held/held-tasks.ts';
import type { OperatorCommands } from '../../hub/upstream/commands/operator-commands.ts';
import type { Identity } from '../../identity/identity.ts';
import { createGuardedFetch } from '../../outbound/guarded-fetch.ts';
import { getResourceMetadataUrl } from '../../server/oauth/resource-metadata-routes.ts';
import type { HubGatewayServices } from '../../server/services.ts';
import { Lazy } from '../lazy.ts';
import type { ProcessLog } from '../process-log.ts';
import { createCommandRunnerOptions } from './command-containers.ts';
import { type ApprovalSources, openHubApprovals } from './hub-approvals.ts';
import { type HubAuditDependencies, openHubAudit } from './hub-audit.ts';

/** The operator's settings for upstream servers. */
export type UpstreamSettings = {
  readonly allowPrivate: boolean;
  /** Additional trusted certificates (PEM). */
  readonly extraRoots: readonly string[];
  readonly commands: OperatorCommands;
  readonly commandsFile?: string | undefined;
  /** Whether commands without an image may run, as the user of the control plane. */
  readonly unsafeStdio: boolean;
  readonly maxSessions?: number;
  /** Whether the servers of a hub connect when it is first used after a start. */
  readonly preparesConnections?: boolean;
  readonly unreadLimits?: UnreadLimits;
};

/** Public servers only, and no commands. */
export const defaultUpstreamSettings: UpstreamSettings = {
  allowPrivate: false,
  extraRoots: [],
  commands: new Map(),
  unsafeStdio: false,
};

export type HubGatewayDependencies = HubAuditDependencies &
  Pick<ApprovalSources, 'approvalWebhook'> & {
    readonly identity: Pick<Identity, 'logSecurityEvent'>;
    readonly hub: HubServices;
    /** For connections of the kind `memory`, which fail without it. */
    readonly memory?: MemoryPort | undefined;
    readonly settings?: UpstreamSettings | undefined;
    /** URL of this control plane for callers. */
    readonly address: () => string;
    readonly log: ProcessLog;
  };

/** The MCP SDK is loaded at the first call. */
export type HubGateway = HubGatewayServices & {
  readonly audit: AuditLog;
  /** Ends open calls and refuses new ones. */
  drain(): Promise<void>;
  /** Closes the audit; call it after `drain`. */
  close(): Promise<void>;
};

const callLimits = { idleMs: 60_000, totalMs: 15 * 60_000 };
const connectTimeoutMs = 10_000;
const maxResponseBytes = 20_000_000;
const listTimeoutMs = 3000;

/** Throws STORE_*. */
export async function openHubGateway(dependencies: HubGatewayDependencies): Promise<HubGateway> {
  const { control, identity, hub } = dependencies;
  const { clock } = control;
  const onFault = createErrorLogger(dependencies);
  const audit = await openHubAudit(dependencies, onFault);
  const changeRows = new ChangeRows({ database: control.database, audit, clock, onError: onFault });
  const stopRecording = hub.onEvent((event) => changeRows.add(event));
  const logSecurityEvent: Identity['logSecurityEvent'] = (event) => {
    identity.logSecurityEvent(event);
    changeRows.add(event);
  };
  const governance = createGovernanceService({
    database: control.database,
    audit,
    connectionRepository: hub.connectionRepository,
    clock,
    memoryTools: dependencies.memory?.listTools(),
    logSecurityEvent,
    onError: onFault,
  });
  const { requests, approvals } = openHubApprovals(dependencies, { audit, governance, onFault });
  const approvalTools = new ApprovalTools({
    approvals: approvals.forPrincipal,
    policy: governance.policy,
    getPageUrl: (slug, id) => `${dependencies.address()}/hubs/${slug}/approvals?approval=${id}`,
  });
  const seals = new HeldTaskSeals(hub.dataKey, dependencies.environment.random);
  const taskParts = { database: control.database, clock, seals, requests };
  const heldTasks = new HeldTasks({ ...taskParts, random: dependencies.environment.random });
  const gateParts = {
    audit,
    governance,
    onFault,
    approvalGate: createApprovalGate(requests),
    approvalTools,
    heldTasks,
  };
  const gatewayParts = new Lazy(() => openGatewayParts(dependencies, gateParts));
  const taskRunner = new HeldTaskRunner({
    ...{ ...taskParts, tasks: heldTasks, findCaller: hub.findStoredCaller, onError: onFault },
    mayDeleteByAge: () => control.clock.isSettled(),
    async callTool(context, call) {
      const { calls } = await gatewayParts.get();
      const result = await calls.callTool(context, call);
      return { result, text: calls.getResultText(result) ?? JSON.stringify(result) };
    },
  });
  const unsubscribe = hub.onSignInsRemoved((removedSignIns) => {
    gatewayParts.get().then(({ revocations }) => revocations.start(removedSignIns), onFault);
  });
  return {
    audit,
    governance,
    approvals,
    endpoints: async () => (await gatewayParts.get()).endpoints,
    connectionTester: async () => (await gatewayParts.get()).connectionTester,
    signIns: async () => (await gatewayParts.get()).signIns,
    async drain() {
      unsubscribe();
      stopRecording();
      taskRunner.close();
      heldTasks.close();
      await requests.close();
      await (await gatewayParts.created)?.close();
      await taskRunner.settle();
      await changeRows.settle();
    },
    async close() {
      await governance.close().catch(onFault);
      await audit.close();
    },
  };
}

function createErrorLogger({ log }: HubGatewayDependencies): (fault: unknown) => void {
  return (fault) => log.error({ err: fault }, 'the hub gateway failed');
}

type GovernanceParts = Pick<HubGateway, 'audit' | 'governance'> & {
  readonly onFault: (fault: unknown) => void;
  readonly approvalGate: ApprovalGate;
  readonly approvalTools: ApprovalTools;
  readonly heldTasks: HeldTasks;
};

type OpenGatewayParts = {
  readonly calls: HubCallService;
  readonly endpoints: HubEndpoints;
  readonly connectionTester: ConnectionTester;
  readonly signIns: SignInService;
  readonly revocations: SignInRevoker;
  close(): Promise<void>;
};

/** Loaded at the first call of a hub; a standby loads them before. */
export function importGatewayParts() {
  return Promise.all([
    import('../../hub/gateway/gateway.ts'),
    import('../../hub/gateway/direct-memory.ts'),
    import('../../hub/gateway/message-audit.ts'),
    import('../../hub/gateway/refusal-bound.ts'),
    import('../../hub/gateway/hubless-server.ts'),
    import('../../hub/gateway/endpoints.ts'),
    importConsoleParts(),
  ]);
}

async function openGatewayParts(
  dependencies: HubGatewayDependencies,
  governanceParts: GovernanceParts,
): Promise<OpenGatewayParts> {
  const { audit, governance, onFault, approvalGate, approvalTools, heldTasks } = governanceParts;
  const { control, hub, environment, settings = defaultUpstreamSettings, address } = dependencies;
  const { random, variables } = environment;
  const { clock } = control;
  const [
    { openGateway },
    { DirectMemory },
    { MessageAudit },
    { RefusalBound },
    { createHublessServer },
    { createHubEndpoints },
    consoleParts,
  ] = await importGatewayParts();
  const { allowPrivate, extraRoots, commands } = settings;
  const unread = new UnreadResponses(settings.unreadLimits);
  const outboundFetch = createGuardedFetch({
    ...{ allowPrivate, extraRoots, variables },
    answerLimitBytes: maxResponseBytes,
    mustWait: () => unread.isTotalFull,
  });
  const upstream = {
    request: outboundFetch.request,
    fetch: outboundFetch.fetch,
    secrets: hub.connectionRepository.secrets,
    commands,
    runnerOptions: await createCommandRunnerOptions(dependencies, settings),
    maxMessageBytes: maxResponseBytes,
    version,
    clock,
    random,
    timeouts: callLimits,
    connectMs: connectTimeoutMs,
    memory: dependencies.memory,
    recordState: (...recorded: Parameters<typeof hub.connectionRepository.recordState>) =>
      void hub.connectionRepository.recordState(...recorded).catch(onFault),
    recordWarning: (...recorded: Parameters<typeof hub.connectionRepository.recordWarning>) =>
      void hub.connectionRepository.recordWarning(...recorded).catch(onFault),
  };
  const { policy } = governance;
  const refusalBound = new RefusalBound({ audit, clock, onError: onFault });
  const gateway = openGateway({
    connectionRepository: hub.connectionRepository,
    policy,
    audit: refusalBound.audit,
    approvals: approvalGate,
    approvalTools,
    heldTasks,
    upstream,
    clock,
    random,
    version,
    secret: hub.secret,
    findStoredCaller: hub.findStoredCaller,
    ...{ listTimeoutMs, maxSessions: settings.maxSessions },
    preparesConnections: settings.preparesConnections ?? false,
    async listRecentCalls(hubId, person) {
      const { items } = await audit.search(hubId, { person, limit: 500 });
      return items.filter(({ method, outcome }) => method === 'tools/call' && outcome !== 'denied');
    },
    onError: onFault,
  });
  const { memory } = dependencies;
  const { connectionRepository } = hub;
  const { secrets } = connectionRepository;
  const directMemory =
    memory &&
    new DirectMemory({
      ...{ connectionRepository, policy, audit: refusalBound.audit, approvals: approvalGate },
      clock,
      random,
      version,
      memory,
      onError: onFault,
    });
  const endpoints = createHubEndpoints({
    authenticator: hub.authenticator,
    gateway,
    directMemory,
    messageAudit: new MessageAudit({ policy, audit: refusalBound.audit, clock }),
    refusalBound,
    unread,
    hublessServer: createHublessServer(clock, version, address),
    clock,
    resourceMetadata: (resource, request) => getResourceMetadataUrl(address(), request, resource),
  });
  const { connectionAccess, hubs } = hub;
  const connectionTester = consoleParts.createConnectionTester({ connectionAccess, hubs, gateway, secrets, clock });
  const pendingSignIns = new consoleParts.PendingSignIns<SignInContext>({
    secrets,
    clock,
    random,
    fetch: outboundFetch.fetch,
    allowPrivateAddresses: allowPrivate,
  });
  const signIns = consoleParts.createSignInService({
    ...{ connectionAccess, secrets, upstreams: gateway.upstreams },
    signIns: pendingSignIns,
  });
  const logSecurityEvent: Identity['logSecurityEvent'] = (event) => dependencies.identity.logSecurityEvent(event);
  const revocations = new consoleParts.SignInRevoker({
    clock,
    fetch: outboundFetch.fetch,
    logSecurityEvent,
    onError: onFault,
  });
  return {
    calls: gateway.calls,
    endpoints,
    connectionTester,
    signIns,
    revocations,
    async close() {
      pendingSignIns.close();
      await revocations.close();
      await endpoints.close();
      await outboundFetch.close();
    },
  };
}

async function importConsoleParts() {
  const [{ createConnectionTester }, { createSignInService }, { PendingSignIns }, { SignInRevoker }] =
    await Promise.all([
      import('../../hub/connections/connection-tester.ts'),
      import('../../hub/sign-in/sign-in-service.ts'),
      import('../../hub/sign-in/pending-sign-ins.ts'),
      import('../../hub/sign-in/sign-in-revoker.ts'),
    ]);
  return { createConnectionTester, createSignInService, PendingSignIns, SignInRevoker };
}
