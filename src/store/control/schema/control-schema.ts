/**
 * The control plane's schema. Times are milliseconds since 1970 UTC; `seq` is the commit sequence that streams resume by,
 * from one counter over all tables. Steps never change once released: add the next one. A step only adds, so that replicas of
 * the version before go on beside it; what they need is removed in a later version.
 */
import type { StoreKind } from '../../database.ts';
import { accountsMigration } from './accounts.ts';
import { auditAnchorsMigration } from './audit-anchors.ts';
import { clockStateMigration } from './clock-state.ts';
import { counterStepsMigration } from './counter-steps.ts';
import { agentTokensMigration, machineKeysMigration } from './credentials.ts';
import { definitionPinsMigration } from './definition-pins.ts';
import { evidenceTimesMigration } from './evidence-times.ts';
import { failureGroupsMigration } from './failure-groups.ts';
import { hubApprovalsMigration } from './hub-approvals.ts';
import { hubBudgetsMigration } from './hub-budgets.ts';
import { hubConnectionKindsMigration } from './hub-connection-kinds.ts';
import { hubConnectionProtocolMigration } from './hub-connection-protocol.ts';
import { hubHeldTasksMigration } from './hub-held-tasks.ts';
import { hubToolListsMigration } from './hub-tool-lists.ts';
import { hubGrantsMigration, hubPoliciesMigration, hubsMigration } from './hubs.ts';
import { initialMigration } from './initial.ts';
import { newestControlSchema } from './newest-schema.generated.ts';
import { notificationsMigration } from './notifications.ts';
import { quarantinesMigration } from './quarantines.ts';
import { registryMigration } from './registry.ts';
import {
  evidenceCountsMigration,
  executorJournalsMigration,
  runTotalsMigration,
  targetIdentityMigration,
  uncataloguedTextsMigration,
} from './run-columns.ts';
import { runTriggersMigration } from './run-triggers.ts';
import { savedViewsMigration } from './saved-views.ts';
import { scenarioOwnersMigration } from './scenario-owners.ts';
import { scenarioRunsMigration } from './scenario-runs.ts';
import { scenarioLifecycleMigration } from './scenarios.ts';
import { runVersionsMigration, schedulesMigration } from './schedules.ts';
import { signInMigration } from './sign-in.ts';
import { statusPagesMigration } from './status-pages.ts';
import { suitesMigration } from './suites.ts';
import { targetVersionsMigration } from './target-versions.ts';

const failureIndexMigration = `
-- Failures without an answer to judge are rare: a page of them must not read all failures (runs.ts has the same words).
CREATE INDEX runs_not_judged ON runs (instance_id, id)
  WHERE state = 'failed' AND failure_kind NOT IN ('status_mismatch', 'body_mismatch', 'evidence_mismatch');
`;

/** The control plane's store. The application id spells "vpc1". */
export const controlStoreKind: StoreKind = {
  applicationId: 0x76706331,
  migrations: [
    initialMigration,
    accountsMigration,
    failureIndexMigration,
    signInMigration,
    agentTokensMigration,
    machineKeysMigration,
    hubsMigration,
    hubPoliciesMigration,
    hubConnectionKindsMigration,
    hubGrantsMigration,
    registryMigration,
    evidenceCountsMigration,
    uncataloguedTextsMigration,
    scenarioLifecycleMigration,
    runTotalsMigration,
    targetIdentityMigration,
    executorJournalsMigration,
    clockStateMigration,
    auditAnchorsMigration,
    definitionPinsMigration,
    hubToolListsMigration,
    hubApprovalsMigration,
    hubConnectionProtocolMigration,
    failureGroupsMigration,
    targetVersionsMigration,
    hubBudgetsMigration,
    schedulesMigration,
    notificationsMigration,
    counterStepsMigration,
    suitesMigration,
    scenarioOwnersMigration,
    runVersionsMigration,
    quarantinesMigration,
    hubHeldTasksMigration,
    scenarioRunsMigration,
    savedViewsMigration,
    evidenceTimesMigration,
    statusPagesMigration,
    runTriggersMigration,
  ],
  newestSchema: newestControlSchema,
};
