/**
 * The table of every error that the product reports, by area. `npm run check` fails if a code is not used or not covered by
 * a test; names never change once released.
 */
import { agentErrors } from './agents.ts';
import { commandErrors } from './command.ts';
import { configErrors } from './config.ts';
import { containerErrors } from './containers.ts';
import { controlErrors } from './control.ts';
import { credentialErrors } from './credential.ts';
import { dashboardErrors } from './dashboard.ts';
import { databaseErrors } from './database.ts';
import { doctorErrors } from './doctor.ts';
import { evidenceErrors } from './evidence.ts';
import { executorErrors } from './executor.ts';
import { agentFolderErrors } from './folders.ts';
import { httpErrors } from './http.ts';
import { hubGovernanceErrors } from './hub-governance.ts';
import { hubErrors } from './hubs.ts';
import { identityErrors } from './identity.ts';
import { importErrors } from './import.ts';
import { logErrors } from './logs.ts';
import { newCommandErrors } from './new.ts';
import { notificationErrors } from './notifications.ts';
import { onboardingErrors } from './onboarding.ts';
import { preflightErrors } from './preflight.ts';
import { registryErrors } from './registry.ts';
import { replicaErrors } from './replicas.ts';
import { routerErrors } from './router.ts';
import { runErrors } from './run.ts';
import { scenarioErrors } from './scenario.ts';
import { caseErrors } from './scenario-cases.ts';
import { stepErrors } from './scenario-steps.ts';
import { scheduleErrors } from './schedules.ts';
import { singleSignOnErrors } from './single-sign-on.ts';
import { stackErrors } from './stacks.ts';
import { storeErrors } from './store.ts';
import { storeDatabaseErrors } from './store-postgres.ts';
import { suiteErrors } from './suites.ts';
import { upstreamErrors } from './upstream.ts';
import { upstreamSignInErrors } from './upstream-sign-in.ts';
import { viewErrors } from './views.ts';

export const errorTable = {
  ...agentErrors,
  ...commandErrors,
  ...configErrors,
  ...containerErrors,
  ...controlErrors,
  ...credentialErrors,
  ...dashboardErrors,
  ...databaseErrors,
  ...doctorErrors,
  ...evidenceErrors,
  ...executorErrors,
  ...agentFolderErrors,
  ...httpErrors,
  ...hubGovernanceErrors,
  ...hubErrors,
  ...identityErrors,
  ...importErrors,
  ...logErrors,
  ...newCommandErrors,
  ...onboardingErrors,
  ...preflightErrors,
  ...registryErrors,
  ...replicaErrors,
  ...routerErrors,
  ...runErrors,
  ...scenarioErrors,
  ...caseErrors,
  ...stepErrors,
  ...notificationErrors,
  ...scheduleErrors,
  ...singleSignOnErrors,
  ...stackErrors,
  ...storeErrors,
  ...storeDatabaseErrors,
  ...suiteErrors,
  ...upstreamErrors,
  ...upstreamSignInErrors,
  ...viewErrors,
} as const;

/** The table's type, with the literal texts, so that values can be checked. */
export type ErrorTable = typeof errorTable;
/** A code of the table. */
export type ErrorCode = keyof ErrorTable;
