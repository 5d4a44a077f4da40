/** The hub gateway: audit and policies, and, opened at the first call, the connections to upstream servers (`hub-gateway-parts.ts`). */
import { createApprovalGate } from '../../hub/approvals/approval-gate.ts';
import { ApprovalTools } from '../../hub/approvals/approval-tools.ts';
import type { AuditLog } from '../../hub/audit/audit-log.ts';
import { ChangeRows } from '../../hub/audit/change-rows.ts';
import { createGovernanceService } from '../../hub/policy/governance-service.ts';
import { HeldTaskSeals } from '../../hub/tasks/held/held-task-record.ts';
import { HeldTaskRunner } from '../../hub/tasks/held/held-task-runner.ts';
import { HeldTasks } from '../../hub/tasks/held/held-tasks.ts';
import type { Identity } from '../../identity/identity.ts';
import type { HubGatewayServices } from '../../server/services.ts';
import { Lazy } from '../lazy.ts';
import { type ApprovalSources, openHubApprovals } from './hub-approvals.ts';
import { type HubAuditDependencies, openHubAudit } from './hub-audit.ts';
import { type GatewayPartsDependencies, openGatewayParts } from './hub-gateway-parts.ts';

export type HubGatewayDependencies = HubAuditDependencies &
  GatewayPartsDependencies &
  Pick<ApprovalSources, 'approvalWebhook'>;

/** The MCP SDK is loaded at the first call. */
export type HubGateway = HubGatewayServices & {
  readonly audit: AuditLog;
  /** Ends open calls and refuses new ones. */
  drain(): Promise<void>;
  /** Closes the audit; call it after `drain`. */
  close(): Promise<void>;
};

/** Throws STORE_*. */
export async function openHubGateway(dependencies: HubGatewayDependencies): Promise<HubGateway> {
  const { control, identity, hub } = dependencies;
  const { clock } = control;
  const onFault = (fault: unknown): void => dependencies.log.error({ err: fault }, 'the hub gateway failed');
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
  const endpoints = new Lazy(async () => (await gatewayParts.get()).endpoints);
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
    endpoints: () => endpoints.get(),
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
